/** The line in Claude Code's status line: put into its settings and out of them, and what it says. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { lineOf } from '../../src/cli/hooks/statusline'
import { addStatusline, removeStatusline, statuslineOf } from '../../src/harness/claude-code/setup/settings-text'
import { checkSetup, setUp, takeDown } from '../../src/harness/claude-code/setup/setup'
import { readStatusline, writeStatusline } from '../../src/util/statusline-file'
import { type LabWith, openLab } from '../lab/lab'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

const PROGRAM = '/opt/lodeline/bin/lode'
const root = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('in the settings', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom(`echo 'it''s' "x" \\n`, "$'a'", 'a\nb'),
  )

  test('a command that was there stays beside ours, with all else, and stands alone again afterwards', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 3 }), (command, padding) => {
        const whole = command.toWellFormed()
        const before = JSON.stringify({ model: 'x', statusLine: { type: 'command', command: whole, padding } }, null, 2)
        if (statuslineOf(before) !== null) return
        const after = addStatusline(before, PROGRAM)
        const { statusLine } = JSON.parse(after) as { statusLine: { command: string; padding: number } }
        expect(statusLine.command).toStartWith(`${PROGRAM} statusline --beside `)
        expect(statusLine.padding).toBe(padding)
        expect(addStatusline(after, '/new/lode')).toContain('/new/lode statusline --beside ')
        expect(JSON.parse(removeStatusline(after))).toEqual(JSON.parse(before))
      }),
    )
  })

  test('it is shown by a dry run and a check, goes with the hooks without a trace, and is only added when it is asked for', () => {
    const path = join(root, 'settings.json')
    const before = '{\n  "model": "x",\n  "statusLine": {"type": "command", "command": "date \'+%H\'"}\n}\n'
    writeFileSync(path, before)
    const options = {
      home: join(root, 'home'),
      path,
      lode: PROGRAM,
      version: '2.1.328',
      todoTools: null,
      isDryRun: false,
    }
    expect(setUp({ ...options, isDryRun: true, statusline: true })).toMatchObject({ addedStatusline: true })
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(setUp(options).addedStatusline).toBe(false)
    expect(checkSetup(options).statusline).toBeNull()
    expect(setUp({ ...options, statusline: true })).toMatchObject({ addedStatusline: true, added: [] })
    expect(checkSetup(options).statusline).toBe(`${PROGRAM} statusline --beside 'date '\\''+%H'\\'''`)
    expect(setUp({ ...options, statusline: true }).isChanged).toBe(false)
    // A later call of another place brings it up to date.
    expect(setUp({ ...options, lode: '/new/lode' }).addedStatusline).toBe(true)
    expect(takeDown(options)).toMatchObject({ removedStatusline: true })
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(() => addStatusline('{"statusLine": 5}', PROGRAM)).toThrow('"statusLine"')
  })
})

test('the line says what needs a person, and of its session the task, to-dos, cost and context; never what is no fact', () => {
  const facts = { pid: 1, needs: 2, sessions: { s1: { taskId: 't-7f3k9q2m', done: 3, total: 5 } } }
  const told = { session_id: 's1', cost: { total_cost_usd: 1.2 }, context_window: { used_percentage: 44.6 } }
  const limits = { five_hour: { used_percentage: 41.6 }, seven_day: { used_percentage: 7 } }
  expect(lineOf({ ...facts, needs: 0 }, { rate_limits: limits })).toBe('lode  5h 42%  7d 7%')
  expect(lineOf(facts, told)).toBe('lode: 2 need you  t-7f3k9q2m  3/5  $1.20  context 45%')
  expect(lineOf({ ...facts, needs: 0 }, {})).toBe('lode')
  const hostile = { pid: 1, needs: 1, sessions: { s1: { taskId: '\u001b[2J', done: 0, total: 0 } } }
  expect(lineOf(hostile, { session_id: 's1', cost: { total_cost_usd: 'x' }, context_window: null })).toBe(
    'lode: 1 needs you',
  )
  expect(lineOf(facts, { session_id: '__proto__' })).toBe('lode: 2 need you')
})

test('a file that is none, of another shape, or of a process that is gone, says nothing', () => {
  const home = join(root, 'files')
  mkdirSync(join(home, 'statusline'), { recursive: true })
  expect(readStatusline(home)).toBeNull()
  for (const text of ['', 'null', '[]', '{"pid":"1"}', '{"pid":1.5,"needs":1}']) {
    writeFileSync(join(home, 'statusline/now.json'), text)
    expect(readStatusline(home)).toBeNull()
  }
  // No system gives this number to a process.
  writeStatusline(home, { pid: 2 ** 30, needs: 1, sessions: {} })
  expect(readStatusline(home)).toBeNull()
  writeStatusline(home, { pid: process.pid, needs: 1, sessions: {} })
  expect(readStatusline(home)).toMatchObject({ needs: 1 })
})

describe('lode statusline', () => {
  let lab: LabWith<'lode'>
  beforeAll(async () => {
    lab = await openLab({ lode: {} })
  })
  afterAll(() => lab?.stop(), 30_000)

  const line = (...words: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...LODE, 'statusline', ...words, '--home', lab.lode.home], {
      stdin: Buffer.from('{"cost":{"total_cost_usd":0.5}}'),
      env: { PATH: process.env.PATH ?? '', HOME: root },
    })
    return [exitCode, stdout.toString(), stderr.toString()]
  }

  test("follows the server, keeps the person's own line beside it, and says nothing without one", async () => {
    expect(line()).toEqual([0, '', ''])
    expect(line('--beside', 'cat; echo oops >&2; exit 3')).toEqual([0, '{"cost":{"total_cost_usd":0.5}}\n', ''])
    const server = await lab.lode.up()
    await until('the line', () => line()[1] === 'lode  $0.50\n')
    expect(line('--beside', "printf 'mine\\n'")).toEqual([0, 'mine  lode  $0.50\n', ''])
    expect(line('--nonsense', 'x')).toEqual([0, expect.any(String), ''])
    server.signal('SIGTERM')
    await server.exited
    expect(line()).toEqual([0, '', ''])
  })
})
