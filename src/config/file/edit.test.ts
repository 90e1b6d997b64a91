import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { isAppError } from '../../domain/errors'
import { CONFIG_KEYS, type ConfigKey } from '../keys'
import { parseConfig } from './config-file'
import { type ConfigValue, editText, setConfigValue } from './edit'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const FILE = `# my settings
log:
  level: warn # less noise

listen:
  # where
  port: 4700   # mine
  host: 127.0.0.1
agents:
  claude-code:
    homes:
      - /a
      - /b
`

describe('a changed setting', () => {
  test('keeps every other line and the comments', () => {
    expect(editText(FILE, 'listen.port', 1)).toBe(FILE.replace('4700', '1'))
    expect(editText(FILE, 'log.level', 'debug')).toBe(FILE.replace('warn', '"debug"'))
    expect(editText(FILE, 'agents.claude-code.homes', ['/c'])).toBe(FILE.replace(/homes:[\s\S]*/, 'homes: ["/c"]\n'))
  })
  test('that was not there goes into its group, or a new one', () => {
    expect(editText(FILE.replace(/ {2}host.*\n/, ''), 'listen.host', 'localhost')).toContain(
      '  port: 4700   # mine\n  host: "localhost"\nagents:',
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
  test('keeps comments, order and quotes in a file of any shape', () => {
    const kept: [text: string, key: ConfigKey, value: ConfigValue, after: string][] = [
      [
        '{ "listen": {port: 1}, log: {level: "warn"} } # all\n',
        'listen.port',
        9,
        '{ "listen": {port: 9}, log: {level: "warn"} } # all\n',
      ],
      ['# mine\nlisten: { host: a } # where\n', 'listen.port', 9, '# mine\nlisten: { host: a, port: 9 } # where\n'],
      [
        "'listen' :\n  'port' : 1 # p\n'log':\n    level: 'warn'\n",
        'listen.port',
        9,
        "'listen' :\n  'port' : 9 # p\n'log':\n    level: 'warn'\n",
      ],
      ['listen: &a # both\n  port: 1\n', 'listen.port', 9, 'listen: &a # both\n  port: 9\n'],
      [
        'agents.claude-code:\n  homes: # mine\n    - /a\n# end\n',
        'agents.claude-code.homes',
        ['/c'],
        'agents.claude-code:\n  homes: ["/c"] # mine\n# end\n',
      ],
      ['listen: # to be filled\n# end\n', 'listen.port', 9, 'listen: # to be filled\n  port: 9\n# end\n'],
      ['listen: 5 # old\n', 'listen.port', 9, 'listen: # old\n  port: 9\n'],
      ['listen:\n  port: # to be filled\n', 'listen.port', 9, 'listen:\n  port: 9 # to be filled\n'],
      [
        '{\n  log: {level: warn}, # noise\n  listen.port: 1, # where\n}\n',
        'log.level',
        undefined,
        '{\n  log: {}, # noise\n  listen.port: 1, # where\n}\n',
      ],
      [
        'listen: {\n  host: a, # h\n  port: 1 # p\n}\n',
        'listen.port',
        undefined,
        'listen: {\n  host: a, # h\n   # p\n}\n',
      ],
      ['log:\r\n  level: warn # l\r\n', 'listen.port', 9, 'log:\r\n  level: warn # l\r\nlisten:\r\n  port: 9\r\n'],
      ['# nothing yet', 'listen.port', 9, '# nothing yet\nlisten:\n  port: 9\n'],
    ]
    for (const [text, key, value, after] of kept) expect(editText(text, key, value)).toBe(after)
  })

  test('that others share by an alias changes for itself alone', () => {
    const text = 'both: &a {port: 1} # shared\nlisten: *a # mine\n'
    expect(editText(text, 'listen.port', 9)).toBe(`${text}listen.port: 9\n`)
    expect(editText(text, 'listen.port', undefined)).toBe('both: &a {port: 1} # shared\nlisten: {} # mine\n')
    expect(editText('listen:\n  port: &p 1 # p\nother: *p\n', 'listen.port', 9)).toBe(
      'listen:\n  port: &p 1 # p\nother: *p\nlisten.port: 9\n',
    )
  })

  test('that has no place is refused, and the text stays', () => {
    expect(() => editText('databaseUrl: {deep: 1} # mine\n', 'databaseUrl', 'off')).toThrow(
      "databaseUrl can't be changed without changing other settings.",
    )
  })

  test('in a shape that lines do not show is the only one to change', () => {
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

  test('leaves the comments between a key and the value that makes way', () => {
    expect(editText('listen:\n  # also\n    - "x: y"', 'listen.port', 9)).toBe('listen:\n  port: 9\n  # also')
    expect(editText('listen.port: # why\n  # more\n  3\n', 'listen.port', 9)).toBe('listen.port: 9 # why\n  # more\n')
  })

  test('leaves a group that is a list as well as a group', () => {
    const text = 'listen:\n  - /a\nlisten.port: 3\nlog:\nlog:\n'
    expect(Object.fromEntries(parseConfig(editText(text, 'log.level', 'warn')))).toEqual({
      listen: ['/a'],
      'listen.port': 3,
      'log.level': 'warn',
    })
  })

  test('is changed where it is written with a dot beside something else in the place of its group', () => {
    for (const other of ['listen: 5', 'listen: [a]', 'listen:\n  - /a'])
      expect(editText(`${other}\nlisten.port: 3`, 'listen.port', 4)).toBe(`${other}\nlisten.port: 4`)
  })

  test('is the only value that changes, whatever the file looks like', () => {
    const line = fc.constantFrom(
      'listen:',
      '  port: 1',
      '  host: a # c',
      '    port: 2',
      'listen.port: 3',
      '# note',
      '  # also',
      'more: {a: &x 1, b: *x}',
      'collector: &c',
      'retention: *c',
      '',
      'agents.codex:',
      '  homes:',
      '    - /a',
      '    - "x: y"',
      '  homes: [a, b]',
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
        const edited = editText(text, key, wanted)
        const after = parseConfig(edited)
        before.delete(key)
        if (wanted !== undefined) {
          // What stands where the group should be means nothing: it may have made way.
          const group = key.split('.')[0] ?? key
          if (!after.has(group)) before.delete(group)
          before.set(key, wanted)
        }
        expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before))
        for (const note of ['# note', '# also']) expect(countOf(edited, note)).toBe(countOf(text, note))
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

const countOf = (text: string, part: string): number => text.split(part).length - 1
