import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { HOOK_EVENTS, hookRows, TOOL_MATCHER } from '../../src/harness/claude-code/setup/hook-rows'
import { ownRows } from '../../src/harness/claude-code/setup/settings-text'
import { checkSetup, setUp, takeDown } from '../../src/harness/claude-code/setup/setup'
import { isOurs } from '../../src/harness/hook-settings/own-command'

let folder: string
let home: string
let path: string
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
  home = join(folder, 'home')
  path = join(folder, '.claude', 'settings.json')
  mkdirSync(join(folder, '.claude'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const LODE = '/opt/lodeline/bin/lode'
const options = (more: object = {}) => ({
  home,
  path,
  lode: LODE,
  version: '2.1.328',
  todoTools: null,
  isDryRun: false,
  ...more,
})
const read = () => readFileSync(path, 'utf8')

describe('a set-up', () => {
  test('matches events of sessions, to-do tools and Agent or Task alone', () => {
    for (const { event, matcher } of hookRows(LODE, '2.1.328')) {
      expect(matcher).toBe(event.endsWith('ToolUse') ? TOOL_MATCHER : undefined)
      expect(event).not.toMatch(/^(PostToolBatch|MessageDisplay|PostToolUseFailure)$/)
    }
    for (const tool of ['Bash', 'Read', 'Edit', 'Grep', 'WebFetch']) expect(TOOL_MATCHER.split('|')).not.toContain(tool)
  })

  test('uses no event that the release does not know', () => {
    const names = (version: string | null) => hookRows(LODE, version).map(({ event }) => event)
    expect(names('2.1.328')).toEqual(HOOK_EVENTS.map(({ name }) => name))
    expect(names('2.1.10')).not.toContain('StopFailure')
    expect(names('2.1.10')).toContain('SubagentStart')
    expect(names(null)).toEqual(names('2.0.30'))
  })

  test('makes the file where there is none, and removing it leaves none', () => {
    expect(setUp(options())).toMatchObject({ isChanged: true, backup: null })
    expect(ownRows(read())).toEqual(hookRows(LODE, '2.1.328'))
    takeDown(options())
    expect(existsSync(path)).toBe(false)
  })

  test('an empty file is left empty', () => {
    writeFileSync(path, '')
    setUp(options())
    takeDown(options())
    expect(read()).toBe('')
  })

  test('twice is harmless', () => {
    setUp(options({ todoTools: 'on' }))
    const before = read()
    expect(setUp(options({ todoTools: 'on' }))).toMatchObject({ isChanged: false, added: [], backup: null })
    expect(read()).toBe(before)
    takeDown(options())
    expect(takeDown(options())).toMatchObject({ isChanged: false })
  })

  test('brings rows of another place up to date, and leaves the hooks of others where they are', () => {
    const theirs = { matcher: 'Bash', hooks: [{ type: 'command', command: 'their-hook' }] }
    const old = {
      hooks: [
        { type: 'command', command: '/old/bin/lode hook --answer' },
        { type: 'command', command: 'x' },
      ],
    }
    writeFileSync(path, JSON.stringify({ hooks: { SessionStart: [old], PreToolUse: [theirs] } }, null, 2))
    const done = setUp(options())
    expect(done.removed).toEqual([{ event: 'SessionStart', command: '/old/bin/lode hook --answer' }])
    const { hooks } = JSON.parse(read())
    expect(hooks.PreToolUse[0]).toEqual(theirs)
    expect(hooks.SessionStart[0]).toEqual({ hooks: [{ type: 'command', command: 'x' }] })
    expect(checkSetup(options())).toMatchObject({ missing: [], outdated: [] })
  })

  test('a dry run shows what would be added and changes nothing', () => {
    writeFileSync(path, '{}')
    expect(setUp(options({ isDryRun: true })).added).toHaveLength(HOOK_EVENTS.length)
    expect(read()).toBe('{}')
    expect(existsSync(home)).toBe(false)
  })

  test('keeps a copy of the file as it was, for its owner alone, and the file its mode', () => {
    writeFileSync(path, '{"model":"x"}', { mode: 0o640 })
    const { backup } = setUp(options())
    expect(readFileSync(backup ?? '', 'utf8')).toBe('{"model":"x"}')
    expect(statSync(backup ?? '').mode & 0o777).toBe(0o600)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(readdirSync(join(folder, '.claude'))).toEqual(['settings.json'])
  })

  test('sets the switch for to-do tools beside other variables, and takes it out again', () => {
    writeFileSync(path, '{\n  "env": {\n    "A": "1"\n  }\n}\n')
    setUp(options({ todoTools: 'on' }))
    expect(JSON.parse(read()).env).toEqual({ A: '1', CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' })
    // Somebody else changes the file meanwhile.
    writeFileSync(path, read().replace('"A": "1"', '"A": "2"'))
    takeDown(options())
    expect(read()).toBe('{\n  "env": {\n    "A": "2"\n  }\n}\n')
  })
})

describe('removing', () => {
  const blank = fc.constantFrom('', ' ', '\n', '\n  ', '\n\t', '\r\n    ')
  const handler = fc.record({ type: fc.constant('command'), command: fc.constantFrom('a', "echo 'lode'", 'hook lode') })
  const group = fc.record({
    matcher: fc.constantFrom('Bash', '', 'Edit|Write'),
    hooks: fc.array(handler, { maxLength: 2 }),
  })
  const settings = fc.record(
    {
      model: fc.string(),
      hooks: fc.dictionary(
        fc.constantFrom('PreToolUse', 'SessionStart', 'Stop', 'Other'),
        fc.array(group, { maxLength: 3 }),
      ),
      env: fc.dictionary(fc.constantFrom('A', 'B'), fc.string()),
      'odd "key"': fc.jsonValue(),
    },
    { requiredKeys: [] },
  )

  test('leaves the file as it was, byte for byte, however it was written', () => {
    const property = fc.property(
      settings,
      fc.constantFrom(0, 2, 4, '\t'),
      blank,
      fc.boolean(),
      (value, indent, end, tools) => {
        const text = JSON.stringify(value, null, indent) + end
        writeFileSync(path, text)
        setUp(options({ todoTools: tools ? 'on' : null }))
        expect(checkSetup(options())).toMatchObject({ missing: [], outdated: [] })
        takeDown(options())
        expect(read()).toBe(text)
      },
    )
    fc.assert(property, { numRuns: 60 })
  })

  test('leaves what others changed meanwhile, and nothing of ours', () => {
    const property = fc.property(settings, fc.constantFrom(0, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      writeFileSync(path, text)
      setUp(options())
      // Without the note of what the file was, only its own text is there to go by.
      rmSync(join(home, 'setup'), { recursive: true, force: true })
      takeDown(options())
      const { hooks = {}, ...rest } = JSON.parse(read())
      const { hooks: before = {}, ...others } = JSON.parse(text)
      expect(rest).toEqual(others)
      const filled = (all: Record<string, unknown[]>) =>
        Object.fromEntries(Object.entries(all).filter(([, g]) => g.length > 0))
      expect(filled(hooks)).toEqual(filled(before))
    })
    fc.assert(property, { numRuns: 60 })
  })

  test('knows its own rows from those of others', () => {
    for (const command of [
      '/opt/x/bin/lode hook',
      "'/my folder/bin/lode' hook --answer",
      "/x/bin/lode --home '/a b' hook",
      `"$\{CLAUDE_PLUGIN_ROOT}/bin/lode" hook`,
      'bun /x/src/cli/main.ts hook',
    ])
      expect([command, isOurs(command)]).toEqual([command, true])
    for (const command of ['lodestar hook', 'echo lode', 'explode hook', '/x/lode session list', 'hook', 7, null])
      expect([command, isOurs(command)]).toEqual([command, false])
  })
})

describe('a hostile file', () => {
  const refused = (code: string) => {
    const before = existsSync(path) && statSync(path).isFile() ? read() : undefined
    for (const act of [() => setUp(options()), () => takeDown(options()), () => setUp(options({ todoTools: 'on' }))])
      expect(act).toThrow(expect.objectContaining({ name: 'AppError', code, hint: expect.any(String) }))
    if (before !== undefined) expect(read()).toBe(before)
    expect(existsSync(home)).toBe(false)
  }

  test.each([
    ['half of a file', '{"hooks": {'],
    ['with comments', '{ // mine\n}'],
    ['with a trailing comma', '{"model": "x",\n}'],
    ['a list', '[]'],
    ['hooks that are no object', '{"hooks": []}'],
    ['an event that is no list', '{"hooks": {"Stop": {}}}'],
    ['nested without end', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])('%s is refused and left alone', (_, content) => {
    writeFileSync(path, content)
    refused('invalid')
  })

  test.each([
    ['a comment', '{\n  "url": "http://x", // mine\n  "model": "x"\n}', 2],
    ['a block comment', '\ufeff/* mine\n */ {}', 1],
    ['a trailing comma', '{\n  "a": [1,\n  2,\n  ]}', 4],
  ])('with %s is refused for what it is, with the line', (_, text, line) => {
    writeFileSync(path, text)
    expect(() => setUp(options())).toThrow(`Line ${line} of the settings has a comment or a trailing comma`)
  })

  test('a huge one is refused', () => {
    writeFileSync(path, `{"a":"${'x'.repeat(5_000_000)}"}`)
    refused('too_large')
  })

  test('a link is refused, and what it leads to is left alone', () => {
    const target = join(folder, 'target.json')
    writeFileSync(target, '{}')
    symlinkSync(target, path)
    refused('invalid')
    expect(readFileSync(target, 'utf8')).toBe('{}')
  })

  test('one that is read-only, or no file, is refused', () => {
    writeFileSync(path, '{}', { mode: 0o444 })
    chmodSync(path, 0o444)
    refused('storage_readonly')
    rmSync(path)
    mkdirSync(path)
    refused('invalid')
  })
})
