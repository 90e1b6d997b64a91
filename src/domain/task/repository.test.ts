import { expect, test } from 'bun:test'
import { checkRemote, isRemote, remoteName } from './repository'

test('a repository is a remote that a worker may fetch, and holds no login and no option', () => {
  for (const good of [
    'https://host/app.git',
    'https://host:8443/team/app',
    'ssh://git@host/app.git',
    'git@host.example:team/app.git',
    'file:///srv/app.git',
    'file:///srv/My Projects/app.git',
    'git@host.example:My Projects/app.git',
  ])
    expect(checkRemote(` ${good} `)).toBe(good)
  for (const bad of [
    '',
    'app',
    '/srv/app.git',
    'http://host/app.git',
    'ext::sh -c evil',
    'ext::evil@host:x',
    '-oProxyCommand=evil',
    'ssh://-oProxyCommand=evil/x',
    'git@-evil:x',
    '-u@host:x',
    'git@host:-x',
    'git@host:x\nevil',
    'file:///srv/x\tevil',
    'https://host/My Projects/app.git',
    'git@host :x',
    'https://host',
    `https://host/${'x'.repeat(2_000)}`,
  ])
    expect([bad, isRemote(bad)]).toEqual([bad, false])
  for (const login of ['https://token@host/app.git', 'https://me:secret@host/app.git', 'ssh://me:secret@host/app.git'])
    expect(() => checkRemote(login)).toThrow(/^The repository holds a login\.$/)
})

test('a repository is called by the last part of its remote', () => {
  expect(
    ['git@host:team/app.git', 'https://host/a b/Über.git/', 'file:///', 'https://host/..'].map(remoteName),
  ).toEqual(['app', 'ber', 'repository', 'repository'])
})
