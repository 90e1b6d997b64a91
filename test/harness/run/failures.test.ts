/** Each class of failure that the scripted model, or the CLI itself, can be brought to. */
import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FailureClass } from '../../../src/domain/task/task'
import { EACH_OUTER_CLI } from '../../lab/claude'
import { inTurn } from '../../lab/in-turn'
import { type LabWith, openLab } from '../../lab/lab'
import { Drive, type DriveOptions, drive } from './drive'

const SCRIPT = join(import.meta.dir, 'script.json')

afterEach(() => Drive.killAll())

/** The CLI asks its API once. */
const ONCE = { CLAUDE_CODE_MAX_RETRIES: '0' }
const uuid = () => crypto.randomUUID()

const API: [string, FailureClass][] = [
  ['FAIL 429', 'overloaded'],
  ['FAIL 500', 'overloaded'],
  ['FAIL 503', 'overloaded'],
  ['FAIL 529', 'overloaded'],
  ['FAIL drop', 'overloaded'],
  ['FAIL 401', 'login'],
  ['FAIL expired', 'login'],
  ['FAIL 403', 'login'],
  ['FAIL credit', 'login'],
  ['FAIL model', 'bad_flag'],
  ['FAIL long', 'prompt_too_long'],
  ['FAIL 413', 'prompt_too_long'],
  ['FAIL pairs', 'crash'],
]

inTurn(EACH_OUTER_CLI, 'Claude Code %s', (test, version) => {
  let lab: LabWith<'claude'>
  beforeAll(async () => {
    lab = await openLab({ claude: { version, script: SCRIPT } })
  })
  afterAll(() => lab?.stop())

  test('tells by its result why the API did not answer', async () => {
    const found: [string, FailureClass | null][] = []
    // One process gets all of it, each in a turn of its own.
    const run = new Drive(lab.claude, { env: ONCE })
    for (const [prompt] of API) found.push([prompt, (await run.turn(prompt)).failureClass])
    expect(found).toEqual(API)
    expect((await run.end()).exitCode).toBe(1)
  })

  test('tells of a missing login, of no connection, and of a hook that keeps the prompt back', async () => {
    const failureOf = async ({ env, ...options }: DriveOptions) =>
      (await drive(lab.claude, 'HELLO', { ...options, env: { ...ONCE, ...env } })).outcome
    expect(await failureOf({ env: { ANTHROPIC_API_KEY: '' } })).toMatchObject({
      failureClass: 'login',
      reason: expect.stringContaining('/login'),
    })
    const nowhere = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
    expect((await failureOf({ env: nowhere })).failureClass).toBe('overloaded')
    const hook = { hooks: [{ type: 'command', command: 'echo not now >&2; exit 2' }] }
    const blocked = await failureOf({ settings: { hooks: { UserPromptSubmit: [hook] } } })
    expect(blocked).toMatchObject({ failureClass: 'agent', reason: expect.stringContaining('not now') })
  })

  test('tells which bound was met', async () => {
    expect((await drive(lab.claude, 'WORK', { maxTurns: 1 })).outcome.failureClass).toBe('turn_limit')
    expect((await drive(lab.claude, 'WORK', { maxCostUsd: 0.0001 })).outcome.failureClass).toBe('cost_limit')
  })

  test('refuses a conversation that is missing, empty or no conversation, and then the next rung is tried', async () => {
    const refused = async (conversation: DriveOptions['conversation']) =>
      (await drive(lab.claude, 'HELLO', { conversation })).outcome
    expect((await refused({ kind: 'resume', sessionId: uuid() })).failureClass).toBe('resume_refused')
    for (const [name, text] of [
      ['empty', ''],
      ['junk', 'not json\n{"a":1}\n'],
    ]) {
      const path = join(lab.claude.root, `${name}.jsonl`)
      writeFileSync(path, text ?? '')
      expect((await refused({ kind: 'fork', path, sessionId: uuid() })).failureClass).toBe('resume_refused')
    }
    const path = join(lab.claude.root, 'missing.jsonl')
    expect((await refused({ kind: 'fork', path, sessionId: uuid() })).failureClass).toBe('resume_refused')
  })

  test('refuses options that it does not know, and files that are not there', async () => {
    for (const options of [{ permissionMode: 'sideways' }, { mcpConfig: '/nowhere/mcp.json' }]) {
      const ended = await drive(lab.claude, 'HELLO', options)
      expect(ended.outcome).toMatchObject({ failureClass: 'bad_flag', isOk: false })
    }
  })

  test('that is killed, or ended from outside, is a crash that names the signal', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const run = new Drive(lab.claude)
      run.say('SLOW please')
      await run.event('tool')
      const ended = await run.signal(signal)
      expect(ended.outcome).toMatchObject({ failureClass: 'crash', reason: expect.stringContaining(signal) })
    }
  })
})
