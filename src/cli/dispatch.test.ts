import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { ERROR_TABLE } from '../api/contract/error-codes'
import { ERROR_CODES } from '../domain/errors'
import { dispatch } from './dispatch'
import { EXIT } from './kit/exit-codes'
import { type FakeIoOptions, fakeIo } from './kit/fake-io'

const home = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(home, { recursive: true, force: true }))

const never = new AbortController().signal
async function run(line: string | string[], options: FakeIoOptions = {}) {
  const io = fakeIo({ ...options, env: { LODELINE_HOME: home, HOME: home, ...options.env }, cwd: home })
  const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line
  const code = await dispatch(words, io, never)
  return { code, out: io.stdout, err: io.stderr }
}

describe('a command line', () => {
  test('without a command shows the help, on stdout', async () => {
    const plain = await run('')
    expect(plain).toMatchObject({ code: 0, err: '' })
    expect(plain.out).toContain('Usage: lode COMMAND [options]')
    expect(await run('--help')).toEqual(plain)
  })
  test('asks for the version in any form', async () => {
    for (const line of ['--version', '-V', 'version']) expect((await run(line)).out).toMatch(/^lode \d+\.\d+\.\d+/)
    expect(JSON.parse((await run('version --json')).out)).toMatchObject({
      version: expect.any(String),
      runtime: expect.stringContaining('bun'),
    })
  })
  test('with an unknown command names the nearest, on stderr alone', async () => {
    expect(await run('sesion list')).toEqual({
      code: 2,
      out: '',
      err: "lode: 'lode' has no command 'sesion'. Did you mean 'lode session'?\n  Run 'lode --help' for all commands.\n",
    })
    expect((await run('session lst')).err).toContain("Did you mean 'lode session list'?")
    for (const name of ['constructor', '__proto__', 'toString']) expect((await run([name])).code).toBe(2)
  })
  test('with a group alone says which commands it has', async () => {
    expect(await run('session')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/needs one of: list, show, .*forget\.\n/),
    })
    expect((await run('session --help')).out).toContain('Usage: lode session COMMAND')
    expect((await run('db migrate --help')).out).toContain('lode db migrate COMMAND')
  })
  test('takes global options before the command too', async () => {
    const { out } = await run(['--home', '/elsewhere', '--json', 'config', 'path'])
    expect(JSON.parse(out)).toMatchObject({ home: '/elsewhere', userFile: '/elsewhere/config.yaml' })
  })
  test('shows no control character of what was typed', async () => {
    const { err } = await run(['\u001b[31m\u0007', '\u202e'])
    expect(err).toMatch(/^[\x20-\x7e\n]*$/)
  })
  test('whose reader has gone ends quietly', async () => {
    expect(await run('--help', { closesAfter: 10 })).toMatchObject({ code: 0, err: '' })
  })
})

describe('an error', () => {
  test('is one line of JSON on stderr with --json, and nothing on stdout', async () => {
    const { code, out, err } = await run('config get listen.prt --json')
    expect([code, out]).toEqual([2, ''])
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'invalid',
        message: "Unknown setting 'listen.prt'. Did you mean 'listen.port'?",
        hint: "Run 'lode config list' to see all settings.",
      },
    })
  })
  test('has an exit code of its own for every code, and none is taken twice', () => {
    const codes = [...ERROR_CODES.map((code) => ERROR_TABLE[code].exitCode), ...Object.values(EXIT)]
    expect(new Set(codes).size).toBe(codes.length)
    expect(EXIT).toEqual({
      ok: 0,
      declined: 20,
      taskFailed: 21,
      taskCancelled: 22,
      taskPaused: 23,
      timeout: 24,
      interrupted: 130,
    })
  })
  test('of a command that has no JSON answer says so', async () => {
    expect((await run('completion bash --json')).err).toContain("'lode completion' does not support --json")
  })
})

test('a hook exits with 0 and prints nothing, whatever is wrong with its call', async () => {
  for (const line of ['hook --bogus', 'hook a b c', 'hook --home']) {
    expect(await run(line)).toEqual({ code: 0, out: '', err: '' })
  }
})

describe('config', () => {
  test('sets, shows and takes back a value, and says when nothing changed', async () => {
    expect((await run('config set listen.port 4700')).out).toBe(`set listen.port in ${home}/config.yaml\n`)
    expect((await run('config set listen.port 4700')).out).toStartWith('already set:')
    expect((await run('config get listen.port')).out).toBe('4700\n')
    expect(JSON.parse((await run('config get listen.port --json')).out)).toEqual({
      key: 'listen.port',
      value: 4700,
      origin: 'user file',
      source: `${home}/config.yaml`,
    })
    expect((await run('config set listen.port --default')).code).toBe(0)
    expect((await run('config get listen.port')).out).toBe('4655\n')
  })
  test('takes several values for every setting that is a list', async () => {
    expect((await run('config set worker.capabilities gpu docker')).code).toBe(0)
    expect(JSON.parse((await run('config get worker.capabilities --json')).out).value).toEqual(['gpu', 'docker'])
    expect((await run('config set worker.allow Edit Write')).code).toBe(0)
    const homes = await run(['config', 'set', 'agents.codex.homes', '["~/one", "/two"]'])
    expect(homes.err).toContain('/two is not there. It is recorded once it is.')
    const set = JSON.parse((await run('config get agents.codex.homes --json')).out).value
    expect(set).toEqual([`${home}/one`, '/two'])
    const half = await run(['config', 'set', 'agents.codex.homes', '["/one"'])
    expect([half.code, half.err]).toEqual([2, expect.stringContaining('takes several values or one JSON array')])
    for (const key of ['worker.capabilities', 'worker.allow', 'agents.codex.homes'])
      expect((await run(`config set ${key} --default`)).code).toBe(0)
  })
  test('refuses a wrong value before it touches the file', async () => {
    const { code, err } = await run('config set listen.port 99999')
    expect(code).toBe(2)
    expect(err).toContain('listen.port must be a whole number from 0 to 65535.')
    expect((await run('config set listen.port')).code).toBe(2)
    expect((await run('config set listen.port 1 2')).code).toBe(2)
  })
  test('lists never show the password of a database', async () => {
    const env = { LODELINE_DATABASE_URL: 'postgres://ann:hunter2@db/lode' }
    for (const line of ['config list', 'config list --json', 'config get databaseUrl']) {
      const { out, err } = await run(line, { env })
      expect(out + err).toContain('postgres://ann:***@db/lode')
      expect(out + err).not.toContain('hunter2')
    }
  })
  test('works on a file whose values are wrong, so that they can be mended', async () => {
    await Bun.write(`${home}/config.yaml`, 'listen: { port: never }\n')
    expect((await run('status')).err).toContain('listen.port in')
    expect(await run('config list')).toMatchObject({ code: 2, err: expect.stringContaining('must be a whole number') })
    expect((await run('config set listen.port 4700')).code).toBe(0)
    expect((await run('config list')).code).toBe(0)
    rmSync(`${home}/config.yaml`)
  })
})
