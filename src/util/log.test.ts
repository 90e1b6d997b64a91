import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger, type Logger, type LoggerOptions, silentLogger } from './log'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let made = 0
function logger(options: LoggerOptions = {}): {
  log: Logger
  file: string
  lines: () => Record<string, unknown>[]
  terminal: string[]
} {
  const file = join(folder, `${made++}`, 'log/lode.log')
  const terminal: string[] = []
  const log = createLogger({
    file,
    terminal: (line) => terminal.push(line),
    now: () => Date.UTC(2026, 0, 2),
    ...options,
  })
  const lines = () =>
    (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []).map((line) => JSON.parse(line))
  return { log, file, lines, terminal }
}

describe('a line', () => {
  test('carries time, level, text, the ids it concerns, and the rest below data', () => {
    const { log, lines } = logger()
    log.child({ session: 's1', worker: 'w1' }).warn('file shrank', { message: 'm1', size: 3, path: '/a b' })
    expect(lines()).toEqual([
      {
        at: '2026-01-02T00:00:00.000Z',
        level: 'warn',
        text: 'file shrank',
        session: 's1',
        worker: 'w1',
        message: 'm1',
        data: { size: 3, path: '/a b' },
      },
    ])
  })

  test("has a child's context, which the line's own fields override", () => {
    const { log, lines } = logger()
    log.child({ session: 's1', task: 't1' }).child({ attempt: 'a1' }).info('moved', { session: 's2' })
    expect(lines()[0]).toMatchObject({ session: 's2', task: 't1', attempt: 'a1' })
  })

  test('tells an error with its code and causes', () => {
    const { log, lines, terminal } = logger()
    const cause = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    log.error('write failed', { error: new Error('the disk is full', { cause }) })
    expect(lines()[0]).toMatchObject({
      error: { message: 'the disk is full', cause: { code: 'ENOSPC', message: 'no space' } },
    })
    expect(terminal[0]).toContain('error="the disk is full"')
  })

  test('is one line for a person too, in which nothing acts on the terminal', () => {
    const { log, terminal } = logger()
    log.info('opened \x1b[31m\n\x9b2J\u202efile', { session: 's1', path: 'a\x07' })
    expect(terminal[0]).toEndWith(' info  opened \\u001b[31m\\u000a\\u009b2J\\u202efile session=s1 path="a\\u0007"\n')
  })
})

describe('levels', () => {
  test('hold back what is below the threshold, for file and terminal separately', () => {
    const { log, lines, terminal } = logger({ level: 'info', terminalLevel: 'error' })
    for (const level of ['error', 'warn', 'info', 'debug'] as const) log[level](level)
    expect(lines().map((line) => line.level)).toEqual(['error', 'warn', 'info'])
    expect(terminal.length).toBe(1)
  })

  test('hold back what agents and people said, unless it is debug', () => {
    const fields = { prompt: 'my secret plan', content: 'hello', size: 5 }
    const info = logger()
    info.log.error('bad line', fields)
    expect(info.lines()[0]?.data).toEqual({ size: 5 })
    expect(info.terminal.join('')).not.toContain('plan')
    const debug = logger({ level: 'debug' })
    debug.log.debug('bad line', fields)
    expect(debug.lines()[0]?.data).toEqual(fields)
  })
})

describe('secrets', () => {
  const secrets = [
    ['Bearer abcdefgh12345678', 'abcdefgh12345678'],
    ['authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['sk-ant-api03-AbCdEf0123456789', 'AbCdEf0123456789'],
    ['ghp_0123456789abcdefABCDEF0123456789abcd', '0123456789abcdef'],
    ['xoxb-1234567890-abcdef', '1234567890-abcdef'],
    ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc_def-123', 'eyJzdWIi'],
    ['a3'.repeat(32), 'a3a3a3'],
    ['aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9jK2mN5p', 'gH9jK2mN5p'],
    ['https://x.test/?api_key=shortone&a=1', 'shortone'],
    ['{"password":"hunter22"}', 'hunter22'],
    ['postgres://ann:p4ss@db/x', 'p4ss'],
  ] as const

  test('are masked in text, fields, nested values and errors, at every level', () => {
    for (const [text, secret] of secrets) {
      const { log, lines, terminal } = logger({ level: 'debug' })
      log.debug(`got ${text}`, { url: text, deep: { list: [text] }, error: new Error(text), session: text })
      expect(JSON.stringify(lines()) + terminal.join('')).not.toContain(secret)
    }
  })

  test('are masked by the name of their field', () => {
    const { log, lines } = logger()
    log.info('x', {
      token: 'abc',
      headers: { Authorization: 'abc', 'x-api-key': 'abc' },
      accessToken: 'abc',
      inputTokens: 3,
    })
    expect(lines()[0]?.data).toEqual({
      token: '[masked]',
      headers: { Authorization: '[masked]', 'x-api-key': '[masked]' },
      accessToken: '[masked]',
      inputTokens: 3,
    })
  })

  test('are not seen in ids, paths and hashes of files', () => {
    const { log, lines } = logger()
    const fields = {
      id: '0b8f4bd1-4f6c-4d3a-9b1e-2a7c5d9e8f01',
      tool: 'toolu_01A09q90qw90lq917835lq9',
      path: '/home/Ann/projects/-home-ann-Lodeline2-src/0b8f4bd1-4f6c-4d3a-9b1e-2a7c5d9e8f01.jsonl',
      commit: 'b6ccb97b7198e2b30596a691b394b9312f725d28',
    }
    log.info('seen', fields)
    expect(lines()[0]?.data).toEqual(fields)
  })

  test('are looked for in a bounded part of a text, and the line says how long the whole was', () => {
    const { log, lines } = logger()
    log.info('x', { text: `${'a '.repeat(100_000)}Bearer abcdefgh12345678` })
    expect(JSON.stringify(lines()).length).toBeLessThan(5000)
    expect(JSON.stringify(lines())).toContain('… (200023 characters)"')
  })
})

describe('the file', () => {
  test('is readable by its owner only, also when it was there before', () => {
    const { log, file } = logger()
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, '')
    chmodSync(file, 0o644)
    log.info('x')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is moved aside when it is full, and three old ones are kept', () => {
    const { log, file } = logger({ maxBytes: 400, terminalLevel: 'off' })
    for (let n = 0; n < 40; n++) log.info(`line ${n}`, { padding: 'x '.repeat(40) })
    expect([1, 2, 3, 4].map((n) => existsSync(`${file}.${n}`))).toEqual([true, true, true, false])
    const kept = ['.3', '.2', '.1', ''].map((end) => readFileSync(file + end, 'utf8')).join('')
    const numbers = [...kept.matchAll(/line (\d+)/g)].map((match) => Number(match[1]))
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => 40 - numbers.length + n))
    expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(400)
  })

  test('is shared by two loggers without a line lost', () => {
    const { log, file } = logger({ maxBytes: 2000, keep: 50, terminalLevel: 'off' })
    const other = createLogger({ file, maxBytes: 2000, keep: 50, terminalLevel: 'off' })
    for (let n = 0; n < 200; n++) (n % 3 === 0 ? other : log).info(`line ${n}`)
    const files = Array.from({ length: 50 }, (_, n) => `${file}.${n + 1}`).filter(existsSync)
    const all = [file, ...files].map((path) => readFileSync(path, 'utf8')).join('')
    expect(new Set(all.match(/line \d+/g)).size).toBe(200)
  })

  test('that can not be written is told of once, and nothing is thrown', () => {
    const blocked = join(folder, 'blocked')
    writeFileSync(blocked, '')
    const terminal: string[] = []
    const log = createLogger({
      file: join(blocked, 'lode.log'),
      terminal: (line) => terminal.push(line),
      terminalLevel: 'error',
    })
    log.info('a')
    log.info('b')
    expect(terminal.length).toBe(1)
    expect(terminal[0]).toStartWith("the log can't be written: ")
  })
})

test('nothing that is logged can throw', () => {
  const circle: Record<string, unknown> = {
    big: 1n,
    symbol: Symbol('s'),
    date: new Date(Number.NaN),
    bytes: new Uint8Array(9),
  }
  circle.self = circle
  const trap = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('trap')
      },
    },
  )
  const { log, lines } = logger({
    terminal: () => {
      throw new Error('closed')
    },
  })
  log.error('circle', circle)
  log.error('trap', { trap })
  log.error('thrown', { error: 'a string' })
  log.close()
  log.info('after closing')
  silentLogger.child({ session: 's' }).error('nobody hears this')
  expect(lines().map((line) => line.text)).toEqual(['circle', 'trap', 'thrown', 'after closing'])
})
