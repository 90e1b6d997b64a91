import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stablePath } from '../../util/lode-command'
import { VERSION } from '../../util/version'
import { type Installation, installationOf } from './installation'
import { isNewerVersion } from './is-newer-version'
import { lookForUpgrade, type Run, upgrade } from './upgrade'
import { removeCommand } from './ways'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the way by which a program came is told from its place:', () => {
  const cases: [string, Installation][] = [
    ['/usr/lib/node_modules/lodeline/node_modules/@lodeline/linux-x64/bin/lode', { way: 'npm', prefix: '/usr' }],
    ['/opt/n/lib/node_modules/@lodeline/linux-x64/bin/lode', { way: 'npm', prefix: '/opt/n' }],
    ['/home/me/.npm/_npx/9f/node_modules/@lodeline/darwin-arm64/bin/lode', { way: 'npx' }],
    ['/opt/homebrew/Cellar/lodeline/0.1.0/bin/lode', { way: 'homebrew', prefix: '/opt/homebrew' }],
    ['/usr/local/tools/bin/lode', { way: 'file', path: '/usr/local/tools/bin/lode' }],
  ]
  test.each(cases)('%s', (path, installation) => expect(installationOf(path)).toEqual(installation))

  test('by its mark, and by the source beside it', () => {
    for (const path of ['share/lodeline/bin', 'image/bin', 'clone/src/cli', 'clone/dist'])
      mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, 'share/lodeline/installed-by'), 'script\nhttps://example.org/v1\n')
    writeFileSync(join(folder, 'image/installed-by'), 'image\n')
    writeFileSync(join(folder, 'clone/src/cli/main.ts'), '')
    expect(installationOf(join(folder, 'share/lodeline/bin/lode'))).toEqual({
      way: 'script',
      from: 'https://example.org/v1',
      prefix: folder,
    })
    expect(installationOf(join(folder, 'image/bin/lode'))).toEqual({ way: 'image' })
    for (const path of ['dist/lode', 'src/cli/main.ts'])
      expect([path, installationOf(join(folder, 'clone', path))]).toEqual([
        path,
        { way: 'repository', root: join(folder, 'clone') },
      ])
  })
  test('hooks call a program of Homebrew by the path that updates leave', () => {
    expect(stablePath('/opt/homebrew/Cellar/lodeline/0.1.0/bin/lode')).toBe('/opt/homebrew/opt/lodeline/bin/lode')
    expect(stablePath('/home/me/Cellar/x/bin/lode')).toBe('/home/me/Cellar/x/bin/lode')
  })
})

/** Answers as told, and notes what was run. */
function runs(answers: Record<string, string>) {
  const lines: string[] = []
  const run: Run = (command) => {
    const line = command.join(' ')
    lines.push(line)
    const answer = answers[line]
    return {
      exitCode: answer === undefined ? 1 : 0,
      stdout: answer ?? '',
      stderr: answer === undefined ? 'no network\nmore' : '',
    }
  }
  return { run, lines }
}
const npm: Installation = { way: 'npm', prefix: '/opt/n' }

test('npm is asked for the newest, and a look changes nothing', () => {
  const { run, lines } = runs({ 'npm view lodeline version': '99.0.0\n' })
  expect(lookForUpgrade(npm, run)).toEqual({
    way: 'npm',
    current: VERSION,
    latest: '99.0.0',
    isNewer: true,
    commands: ['npm install --global --prefix /opt/n lodeline@latest'],
  })
  expect(lines).toEqual(['npm view lodeline version'])
})

test('the same release is not newer, and without a network nothing is known', () => {
  expect(lookForUpgrade(npm, runs({ 'npm view lodeline version': VERSION }).run)).toMatchObject({
    latest: VERSION,
    isNewer: false,
  })
  expect(lookForUpgrade(npm, runs({}).run)).toMatchObject({ latest: null, isNewer: false })
})

test('each way is asked in its own words', () => {
  const brew = runs({ 'brew info --json=v2 lodeline': '{"formulae":[{"versions":{"stable": "2.0.0"}}]}' })
  expect(lookForUpgrade({ way: 'homebrew', prefix: '/b' }, brew.run)).toMatchObject({
    latest: '2.0.0',
    commands: ['brew upgrade lodeline'],
  })
  const script = runs({ 'cat /rel/install.sh': "#!/bin/sh\nversion='3.1.0'\n" })
  expect(lookForUpgrade({ way: 'script', from: '/rel', prefix: '/p' }, script.run)).toMatchObject({
    latest: '3.1.0',
    commands: ['sh /rel/install.sh --from /rel --prefix /p'],
  })
  const fetched = runs({ 'curl -fsSL https://example.org/v1/install.sh': "version='3.1.0'\n" })
  expect(lookForUpgrade({ way: 'script', from: 'https://example.org/v1/', prefix: '/p' }, fetched.run).latest).toBe(
    '3.1.0',
  )
  const git = runs({ 'git -C /src rev-parse HEAD': 'aaa\n', 'git -C /src ls-remote origin HEAD': 'bbb\tHEAD\n' })
  expect(lookForUpgrade({ way: 'repository', root: '/src' }, git.run)).toMatchObject({
    current: 'aaa',
    latest: 'bbb',
    isNewer: true,
  })
})

test('a command that fails says why, and the next one does not run', () => {
  const { run, lines } = runs({})
  expect(() => upgrade({ way: 'repository', root: '/src' }, run)).toThrow(
    'git -C /src pull --ff-only failed: no network',
  )
  expect(lines).toHaveLength(1)
})

test.each(['npx', 'image'] as const)('what came by %s is updated by hand, and leaves nothing to remove', (way) => {
  expect(() => upgrade({ way }, runs({}).run)).toThrow(`came by ${way}`)
  expect(removeCommand({ way })).toBeNull()
})

test('the command that removes the program names all that was installed', () => {
  expect(removeCommand({ way: 'script', from: '', prefix: '/p q' })).toBe("rm -r '/p q/share/lodeline' '/p q/bin/lode'")
  expect(removeCommand(npm)).toBe('npm uninstall --global --prefix /opt/n lodeline')
})

test('versions are compared by their numbers, and an ending comes before the release', () => {
  const ordered = ['0.9.9', '0.10.0-rc.1', '0.10.0-rc.2', '0.10.0', '1.0.0']
  for (const [i, one] of ordered.entries())
    for (const [j, other] of ordered.entries())
      expect([one, other, isNewerVersion(one, other)]).toEqual([one, other, i > j])
})
