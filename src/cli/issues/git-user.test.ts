import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../../test/lab/empty-repository'
import { actorOf } from './git-user'

const root = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(root, { recursive: true, force: true }))
const cwd = join(root, 'project')
emptyRepository(cwd)

test("who acts is who bd's variables name, else git's user of the repository, of the home, else the login", () => {
  const env = { HOME: root, USER: 'login' }
  expect(actorOf({ env, cwd })).toBe('login')
  writeFileSync(join(root, '.gitconfig'), '[user]\n\temail = a@b\n\tname = Ann B. # me\n[core]\n\tname = wrong\n')
  expect(actorOf({ env, cwd })).toBe('Ann B.')
  writeFileSync(join(cwd, '.git/config'), '[User]\n  name = "Bob"\n')
  expect(actorOf({ env, cwd })).toBe('Bob')
  expect(actorOf({ env: { ...env, BD_ACTOR: 'carl' }, cwd })).toBe('carl')
  expect(actorOf({ env: { ...env, BD_ACTOR: 'carl', BEADS_ACTOR: 'dora' }, cwd })).toBe('dora')
})

test('settings that are no file, or far too large, are passed over', () => {
  rmSync(join(root, '.gitconfig'))
  mkdirSync(join(root, '.gitconfig'))
  writeFileSync(join(cwd, '.git/config'), `[user]\nname = x\n${'#'.repeat(70_000)}`)
  expect(actorOf({ env: { HOME: root }, cwd })).toBeUndefined()
})
