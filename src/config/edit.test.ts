import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { isAppError } from '../domain/errors'
import { parseConfig } from './config-file'
import { type ConfigValue, editText, setConfigValue } from './edit'
import { CONFIG_KEYS } from './keys'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const FILE = `# my settings
log:
  level: warn # less noise

listen:
  # where
  port: 4700   # mine
  host: 127.0.0.1
claude:
  roots:
    - /a
    - /b
`

describe('a changed setting', () => {
  test('keeps every other line and the comments', () => {
    expect(editText(FILE, 'listen.port', 1)).toBe(FILE.replace('4700', '1'))
    expect(editText(FILE, 'log.level', 'debug')).toBe(FILE.replace('warn', '"debug"'))
    expect(editText(FILE, 'claude.roots', ['/c'])).toBe(FILE.replace(/roots:[\s\S]*/, 'roots: ["/c"]\n'))
  })
  test('that was not there goes into its group, or a new one', () => {
    expect(editText(FILE.replace(/ {2}host.*\n/, ''), 'listen.host', 'localhost')).toContain(
      '  port: 4700   # mine\n  host: "localhost"\nclaude:',
    )
    expect(editText(FILE, 'retention.days', 30)).toBe(`${FILE}retention:\n  days: 30\n`)
    expect(editText('', 'databaseUrl', 'off')).toBe('databaseUrl: "off"\n')
  })
  test('that is taken out leaves the rest', () => {
    expect(editText(FILE, 'log.level', undefined)).toBe(FILE.replace(/ {2}level.*\n/, ''))
    expect(editText(FILE, 'retention.days', undefined)).toBe(FILE)
  })
  test('equal to what is there changes nothing', () => {
    expect(editText(FILE, 'listen.port', 4_700)).toBe(FILE)
  })
  test('in a shape that lines do not show is written anew, with every value kept', () => {
    for (const text of [
      '{listen: {port: 1}, log: {level: warn}}',
      'listen: &a {port: 1}\nlog:\n  level: warn',
      '"listen":\n  "port": 1\nlog.level: warn\n',
    ]) {
      expect(Object.fromEntries(parseConfig(editText(text, 'listen.port', 9)))).toEqual({
        'listen.port': 9,
        'log.level': 'warn',
      })
    }
  })

  test('leaves a group that is a list as well as a group', () => {
    const text = 'listen:\n  - /a\nlisten.port: 3\nlog:\nlog:\n'
    expect(Object.fromEntries(parseConfig(editText(text, 'log.level', 'warn')))).toEqual({
      listen: ['/a'],
      'listen.port': 3,
      'log.level': 'warn',
    })
  })

  test('is the only value that changes, whatever the file looks like', () => {
    const line = fc.constantFrom(
      'listen:',
      '  port: 1',
      '  host: a # c',
      '    port: 2',
      'listen.port: 3',
      '# note',
      '',
      'claude:',
      '  roots:',
      '    - /a',
      '    - "x: y"',
      '  roots: [a, b]',
      'log: {level: warn}',
      'listen: {port: 5}',
      'unknown: "a # b"',
      '  deep: yes',
      'text: |',
      '   block # no comment',
      'log:',
    )
    const value: fc.Arbitrary<ConfigValue> = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.string(),
      fc.constant(undefined),
      fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom(...CONFIG_KEYS), value, (lines, key, wanted) => {
        const text = lines.join('\n')
        let before: Map<string, unknown>
        try {
          before = parseConfig(text)
        } catch {
          return
        }
        const after = parseConfig(editText(text, key, wanted))
        before.delete(key)
        if (wanted !== undefined) before.delete(key.split('.')[0] ?? key)
        if (wanted !== undefined) before.set(key, wanted)
        expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before))
      }),
      { numRuns: 4_000 },
    )
  })
})

describe('the file', () => {
  test('is private when new, keeps its mode when not, and leaves no other file behind', () => {
    const path = join(folder, 'new/config.yaml')
    expect(setConfigValue(path, 'listen.port', 1)).toBe(true)
    expect(setConfigValue(path, 'listen.port', 1)).toBe(false)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    writeFileSync(join(folder, 'c.yaml'), FILE, { mode: 0o644 })
    setConfigValue(join(folder, 'c.yaml'), 'listen.port', 2)
    expect(statSync(join(folder, 'c.yaml')).mode & 0o777).toBe(0o644)
    expect(readdirSync(join(folder, 'new'))).toEqual(['config.yaml'])
  })
  test('that is broken is not touched', () => {
    const path = join(folder, 'broken.yaml')
    writeFileSync(path, 'a: [')
    let seen: unknown
    try {
      setConfigValue(path, 'listen.port', 1)
    } catch (error) {
      seen = error
    }
    expect(isAppError(seen) && seen.code).toBe('invalid')
    expect(readFileSync(path, 'utf8')).toBe('a: [')
  })
  test('that can not be written gives an error that says so', () => {
    mkdirSync(join(folder, 'blocked'))
    writeFileSync(join(folder, 'blocked/file'), '')
    let seen: unknown
    try {
      setConfigValue(join(folder, 'blocked/file/config.yaml'), 'listen.port', 1)
    } catch (error) {
      seen = error
    }
    expect(isAppError(seen) && seen.code).toBe('storage_readonly')
  })
})
