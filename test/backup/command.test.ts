import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { HOME_NAMES_KEPT, HOME_NAMES_LEFT } from '../../src/app/backup/home-files'
import { dispatch } from '../../src/cli/dispatch'
import { type FakeIoOptions, fakeIo } from '../../src/cli/kit/fake-io'
import { until } from '../lab/until'
import { LODE } from '../lode-command'
import { temporaryFolder } from '../store-contract/databases'

const TRANSCRIPTS = join(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328')
const PASSPHRASE = 'correct horse battery'
const folder = temporaryFolder()
const home = join(folder, 'lode')
const key = { identity: '', recipient: '' }

async function lode(words: string[], options: FakeIoOptions = {}) {
  const { env, ...more } = options
  const io = fakeIo({ env: { HOME: folder, LODELINE_HOME: home, ...env }, cwd: folder, ...more })
  const code = await dispatch(words, io, new AbortController().signal)
  return { code, out: io.stdout, err: io.stderr }
}

beforeAll(async () => {
  key.identity = await generateIdentity()
  key.recipient = await identityToRecipient(key.identity)
  writeFileSync(join(folder, 'key.txt'), `# created: today\n# public key: ${key.recipient}\n${key.identity}\n`)
  writeFileSync(join(folder, 'phrase'), `${PASSPHRASE}\n`)
  mkdirSync(join(folder, 'there'))
  expect((await lode(['import', TRANSCRIPTS])).code).toBe(0)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('a backup in a folder has the time in its name, and says when it is not encrypted', async () => {
  const { code, out, err } = await lode(['backup', 'there'])
  expect(code).toBe(0)
  expect(out).toContain(join(folder, 'there/lodeline-2026-01-02T030405Z.tar.gz: '))
  expect(err).toContain('not encrypted')
  const restored = await lode(['restore', 'there/lodeline-2026-01-02T030405Z.tar.gz', '--home', join(folder, 'r1')])
  expect([restored.code, restored.err]).toEqual([0, ''])
  const sessions = async (at: string) =>
    JSON.parse((await lode(['session', 'list', '--all', '--json', '--home', at])).out)
  expect(await sessions(join(folder, 'r1'))).toEqual(await sessions(home))
})

test('a passphrase is asked for twice, and once to open; or comes from a file or the environment', async () => {
  const asked = await lode(['backup', 'asked.age', '--passphrase'], { answers: [PASSPHRASE, PASSPHRASE] })
  expect([asked.code, asked.err]).toEqual([0, 'Passphrase: Again: '])
  const opened = await lode(['restore', 'asked.age', '--passphrase', '--home', join(folder, 'r2')], {
    answers: [PASSPHRASE],
  })
  expect([opened.code, opened.err]).toEqual([0, 'Passphrase: '])
  const byEnvironment = await lode(['backup', 'named.age', '--passphrase'], {
    env: { LODELINE_PASSPHRASE: PASSPHRASE },
  })
  expect(byEnvironment.code).toBe(0)
  expect((await lode(['restore', 'named.age', '--passphrase-file', 'phrase', '--home', join(folder, 'r3')])).code).toBe(
    0,
  )
})

test.each([
  ['two passphrases that differ', ['--passphrase'], ['long enough', 'long  enough'], 'differ'],
  ['a short passphrase', ['--passphrase'], ['short', 'short'], 'less than 8'],
  ['nobody to ask', ['--passphrase'], [], '--passphrase-file'],
  ['a key and a passphrase', ['--encrypt-to', 'age1x', '--passphrase-file', 'phrase'], [], 'not both'],
  ['two passphrases', ['--passphrase', '--passphrase-file', 'phrase'], [], 'not both'],
  ['a word that is no key', ['--encrypt-to', 'age1nonsense'], [], 'not a public age key'],
  ['a file that is not there', ['--passphrase-file', 'nowhere'], [], "can't be read"],
])('%s makes no backup', async (_, options, answers, said) => {
  const { code, err } = await lode(['backup', 'never.age', ...options], { answers })
  expect(code).not.toBe(0)
  expect(err).toContain(said)
  expect(readdirSync(folder).filter((name) => name.startsWith('never'))).toEqual([])
})

test('a secret key in the place of a public one is noticed, and not repeated', async () => {
  const { code, err } = await lode(['backup', 'never.age', '--encrypt-to', key.identity.toLowerCase()])
  expect(code).not.toBe(0)
  const secret = await lode(['backup', 'never.age', '--encrypt-to', key.identity])
  expect(secret.err).toContain('a secret age key')
  for (const said of [err, secret.err]) expect(said.toUpperCase()).not.toContain(key.identity.slice(0, 40))
})

test('an encrypted backup opens with a file of keys, and with no other', async () => {
  expect((await lode(['backup', 'keyed.age', '--encrypt-to', key.recipient])).code).toBe(0)
  writeFileSync(join(folder, 'other.txt'), `${await generateIdentity()}\n`)
  const restore = (...options: string[]) => lode(['restore', 'keyed.age', '--home', join(folder, 'r5'), ...options])
  expect((await restore()).err).toContain('is encrypted')
  expect((await restore('--identity', 'other.txt')).err).toContain('no key that you gave')
  expect((await restore('--identity', 'phrase')).err).toContain('no secret key')
  expect((await restore('--passphrase-file', 'phrase')).err).toContain('no key that you gave')
  expect(existsSync(join(folder, 'r5'))).toBe(false)
  expect((await restore('--identity', 'other.txt', '--identity', 'key.txt')).code).toBe(0)
})

test('a session is exported to one encrypted file that another program of the format opens', async () => {
  const { sessions } = JSON.parse((await lode(['session', 'list', '--json'])).out) as { sessions: { id: string }[] }
  const id = sessions[0]?.id ?? ''
  const words = ['session', 'export', id, '--to', 'exported', '--encrypt-to', key.recipient]
  const { code, out } = await lode([...words, '--json'])
  expect(code).toBe(0)
  const { archive, files } = JSON.parse(out) as { archive: string; files: { path: string }[] }
  expect(readdirSync(join(folder, 'exported'))).toEqual([`${id}.tar.gz.age`])
  const decrypter = new Decrypter()
  decrypter.addIdentity(key.identity)
  const plain = await decrypter.decrypt(new Uint8Array(readFileSync(archive)))
  const listed = Bun.spawnSync(['tar', 'tz'], { stdin: plain }).stdout.toString().trim().split('\n')
  expect(listed).toEqual(files.map(({ path }) => path))
  expect(listed).toContain(`${id}.jsonl`)
  // The same bytes as an export in the clear.
  expect((await lode(['session', 'export', id, '--to', 'clear'])).code).toBe(0)
  const text = Bun.spawnSync(['tar', 'xzO', `${id}.jsonl`], { stdin: plain }).stdout.toString()
  expect(text).toBe(readFileSync(join(folder, 'clear', `${id}.jsonl`), 'utf8'))
  expect((await lode(words)).err).toContain('already exists')
  expect((await lode([...words, '--force'])).code).toBe(0)
})

test('settings that name another database than the one that was filled are told', async () => {
  const at = join(folder, 'named')
  mkdirSync(at)
  expect((await lode(['db', 'migrate', 'up', '--home', at])).code).toBe(0)
  writeFileSync(join(at, 'config.yaml'), 'databaseUrl: postgres://nobody@127.0.0.1:1/x\n')
  const { makeBackup } = await import('../../src/app/backup/make-backup')
  const to = join(folder, 'named.tar.gz')
  await makeBackup({
    config: { home: at, databaseUrl: null },
    to,
    encryptTo: null,
    signal: new AbortController().signal,
  })
  const { code, err } = await lode(['restore', 'named.tar.gz', '--home', join(folder, 'r6')])
  expect([code, err]).toEqual([0, expect.stringContaining('another database')])
})

test('a backup while a server runs is whole, and the server runs on', async () => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, LODELINE_HOME: home, LODELINE_LISTEN: '127.0.0.1:0' }
  const server = Bun.spawn([...LODE, 'serve'], { env, cwd: folder, stdout: 'ignore', stderr: 'ignore' })
  try {
    await until('the server', () => existsSync(join(home, 'server.json')))
    const made = Bun.spawn([...LODE, 'backup', 'live.tar.gz', '--json'], { env, cwd: folder, stderr: 'ignore' })
    expect(await made.exited).toBe(0)
    expect(await new Response(made.stdout).json()).toMatchObject({ database: 'sqlite', isEncrypted: false })
    const status = Bun.spawn([...LODE, 'status', '--json'], { env, cwd: folder, stdout: 'ignore', stderr: 'ignore' })
    expect(await status.exited).toBe(0)
    const over = await lode(['restore', 'live.tar.gz'])
    expect(over.err).toContain('is not empty')
  } finally {
    server.kill('SIGTERM')
    await server.exited
  }
  expect((await lode(['restore', 'live.tar.gz', '--home', join(folder, 'r7')])).code).toBe(0)
  expect((await lode(['db', 'check', '--home', join(folder, 'r7')])).code).toBe(0)
  expect((await lode(['audit', 'verify', '--home', join(folder, 'r7')])).code).toBe(0)
})

test('the guide names each file of the folder, and a backup knows of each', () => {
  const guide = readFileSync(join(import.meta.dir, '../../docs/guide/settings.md'), 'utf8')
  const table = guide.slice(guide.indexOf('## Where state lives')).split('\n## ')[0] ?? ''
  const named = table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''))
    .map((name) => name.replace(/\/.*$/, ''))
  expect([...HOME_NAMES_KEPT, ...HOME_NAMES_LEFT].sort()).toEqual([...new Set(named)].sort())
})
