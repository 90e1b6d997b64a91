import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEnd, RunEvent, RunResult } from '../../../domain/harness/harness-run'
import type { FailureClass } from '../../../domain/task/task'
import { limitText } from './limits/usage-limit'
import { outcome } from './outcome'
import { RunReader } from './reader'

const NOW = Date.UTC(2026, 6, 19, 12, 30)
const SUCCESS: RunResult = {
  subtype: 'success',
  isError: false,
  text: 'Done.',
  errors: [],
  numTurns: 2,
  costUsd: 0.01,
  usage: null,
  terminalReason: 'completed',
  sessionId: null,
}
const END: RunEnd = { exitCode: 0, signal: null, result: SUCCESS, stderr: '', apiErrors: [], isResume: false, now: NOW }
const end = (more: Partial<RunEnd>): RunEnd => ({ ...END, ...more })
const failedWith = (text: string, more: Partial<RunEnd> = {}): RunEnd =>
  end({ exitCode: 1, result: { ...SUCCESS, isError: true, text, costUsd: 0, numTurns: 1 }, ...more })
const crashedWith = (stderr: string, more: Partial<RunEnd> = {}): RunEnd =>
  end({ exitCode: 1, result: null, stderr, ...more })

test('a result without an error and exit code 0 is done', () => {
  expect(outcome(END)).toEqual({ isOk: true, failureClass: null, reason: 'done', resetAt: null })
})

test('a result with an error is a failure whatever its subtype says', () => {
  expect(outcome(failedWith('API Error: 400 scripted bad request')).isOk).toBe(false)
  expect(outcome(failedWith('something else', { exitCode: 0 })).failureClass).toBe('crash')
})

test('a good result of a process that ended badly is not done', () => {
  expect(outcome(end({ exitCode: 1 })).failureClass).toBe('crash')
  expect(outcome(end({ exitCode: null, signal: 'SIGKILL' })).reason).toContain('SIGKILL')
})

test('no result is a crash, also with exit code 0', () => {
  expect(outcome(end({ result: null })).failureClass).toBe('crash')
  expect(outcome(crashedWith('panic: out of memory'))).toMatchObject({
    failureClass: 'crash',
    reason: expect.stringContaining('out of memory'),
  })
})

test.each([
  [143, 'SIGTERM'],
  [137, 'SIGKILL'],
  [139, 'SIGSEGV'],
])('exit code %d tells of a signal', (exitCode, signal) => {
  expect(outcome(end({ exitCode, result: null }))).toMatchObject({
    failureClass: 'crash',
    reason: expect.stringContaining(signal),
  })
})

test('a prompt that never reached the model is not done', () => {
  const blocked = 'UserPromptSubmit operation blocked by hook:\n[check]: blocked'
  const end_ = end({ result: { ...SUCCESS, text: blocked, numTurns: 0, costUsd: 0 } })
  expect(outcome(end_)).toMatchObject({ isOk: false, failureClass: 'agent', reason: expect.stringContaining('hook') })
})

/** Texts of results: the first part as the pinned releases wrote them, the rest from public issues. */
const RESULTS: [FailureClass, string][] = [
  ['login', 'Not logged in · Please run /login'],
  ['login', 'Invalid API key · Fix external API key'],
  [
    'login',
    'Failed to authenticate. API Error: 401 OAuth token has expired. Please obtain a new token or refresh your existing token.',
  ],
  ['login', 'Failed to authenticate. API Error: 403 Request not allowed'],
  ['login', 'Credit balance is too low'],
  [
    'prompt_too_long',
    'Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~2637 tokens',
  ],
  ['prompt_too_long', 'Request too large (max 32MB). Try with a smaller file.'],
  [
    'bad_flag',
    "There's an issue with the selected model (nonsense). It may not exist or you may not have access to it. Run --model to pick a different model.",
  ],
  ['overloaded', 'API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary.'],
  ['overloaded', 'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.'],
  ['overloaded', 'API Error: 500 Internal server error. This is a server-side issue'],
  ['overloaded', 'API Error: 502 bad gateway. This is a server-side issue'],
  [
    'overloaded',
    "API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again later.",
  ],
  ['overloaded', 'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)'],
  ['overloaded', 'API Error: Unable to connect to API (ConnectionRefused)'],
  [
    'overloaded',
    'API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.',
  ],
  ['crash', 'API Error: 400 scripted bad request'],
  ['crash', 'API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy'],
  ['usage_limit', "You've hit your session limit · resets 3pm (Europe/Berlin)"],
  ['usage_limit', 'Claude AI usage limit reached|1784500000'],
  ['login', 'Invalid API key · Please run /login'],
  ['login', 'OAuth token revoked · Please run /login'],
  ['login', 'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"Invalid bearer token"}}'],
  [
    'login',
    'Your organization has disabled API key authentication · Run /login to sign in with your claude.ai account',
  ],
  ['overloaded', 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
  ['overloaded', 'API Error (Request timed out.)'],
  ['overloaded', 'API Error: Connection error.'],
  ['overloaded', 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}'],
  [
    'prompt_too_long',
    'API Error: 400 {"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
  ],
]
test.each(RESULTS)('%s: %s', (failureClass, text) => {
  const found = outcome(failedWith(text))
  expect(found.failureClass).toBe(failureClass)
  expect(found.reason.length).toBeGreaterThan(20)
})

/** What the pinned releases print when they refuse to start. */
const STDERR: [FailureClass, string][] = [
  ['bad_flag', "error: unknown option '--foo-bar'\n"],
  [
    'bad_flag',
    "error: option '--permission-mode <mode>' argument 'foo' is invalid. Allowed choices are acceptEdits, auto, plan.\n",
  ],
  ['bad_flag', 'Error: Settings file not found: /nope.json\n'],
  ['bad_flag', 'Error: Invalid MCP configuration:\nMCP config file not found: /nope.json\n'],
  [
    'bad_flag',
    'Error processing --setting-sources: Invalid setting source: foo. Valid options are: user, project, local\n',
  ],
  ['bad_flag', '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n'],
  ['resume_refused', 'No conversation found with session ID: 4de55db4-5987-4f25-874a-15915d8c9170\n'],
  ['crash', 'Error: Session ID 4de55db4-5987-4f25-874a-15915d8c9170 is already in use.\n'],
  ['crash', ''],
]
test.each(STDERR)('without a result %s: %s', (failureClass, stderr) => {
  expect(outcome(crashedWith(stderr)).failureClass).toBe(failureClass)
})

test('a missing login says what to do', () => {
  expect(outcome(failedWith('Invalid API key · Please run /login')).reason).toMatch(
    /`claude`.*\/login.*ANTHROPIC_API_KEY/,
  )
})

describe('a conversation that the API refuses', () => {
  const text = 'API Error: 400 due to tool use concurrency issues.'
  test('is given up for the next rung when the run was to continue it', () => {
    expect(outcome(failedWith(text, { isResume: true })).failureClass).toBe('resume_refused')
  })
  test('is a crash when it was new', () => {
    expect(outcome(failedWith(text)).failureClass).toBe('crash')
  })
})

test('the bounds of a task tell which one was met', () => {
  const bound = (subtype: string, error: string) =>
    outcome(end({ exitCode: 1, result: { ...SUCCESS, subtype, isError: true, text: null, errors: [error] } }))
  expect(bound('error_max_turns', 'Reached maximum number of turns (1)')).toMatchObject({
    failureClass: 'turn_limit',
    reason: expect.stringContaining('maxTurns'),
  })
  expect(bound('error_max_budget_usd', 'Reached maximum budget ($0.5)')).toMatchObject({
    failureClass: 'cost_limit',
    reason: expect.stringContaining('$0.5'),
  })
})

describe('a usage limit', () => {
  const said = "You've hit your session limit · resets 3pm (Europe/Berlin)"
  test('is over when its text says', () => {
    expect(outcome(failedWith(said)).resetAt).toBe('2026-07-19T13:00:00.000Z')
  })
  test('is over when the CLI told it to the second', () => {
    const apiErrors = [limitText('five_hour', Date.UTC(2026, 6, 19, 13, 0, 7) / 1000), said]
    const found = outcome(failedWith(said, { apiErrors }))
    expect(found.resetAt).toBe('2026-07-19T13:00:07.000Z')
    expect(found.reason).toContain('2026-07-19T13:00:07.000Z')
  })
  test('is told by the record alone when the result says something else', () => {
    const apiErrors = [limitText('seven_day', Date.UTC(2026, 6, 22) / 1000)]
    const text = "Your group's usage is set to $0"
    expect(outcome(failedWith(text, { apiErrors }))).toMatchObject({
      failureClass: 'usage_limit',
      resetAt: '2026-07-22T00:00:00.000Z',
    })
  })
  test('that is over already, or only in years, has no time', () => {
    expect(outcome(failedWith('Claude AI usage limit reached|1762952400'))).toMatchObject({
      failureClass: 'usage_limit',
      resetAt: null,
    })
    expect(outcome(failedWith('Claude AI usage limit reached|9999999999999')).resetAt).toBeNull()
  })
  test('that did not stop the run is no failure', () => {
    expect(outcome(end({ apiErrors: [said] })).isOk).toBe(true)
  })
})

test('an interrupted turn says so', () => {
  const result = {
    ...SUCCESS,
    subtype: 'error_during_execution',
    isError: true,
    text: null,
    terminalReason: 'aborted_tools',
  }
  expect(outcome(end({ result, exitCode: 0 })).reason).toContain('interrupted')
})

test('a reason stays short, whatever was said', () => {
  expect(outcome(failedWith('x'.repeat(1_000_000))).reason.length).toBeLessThan(1_000)
  expect(outcome(crashedWith('\ud800'.repeat(16_000))).reason.length).toBeLessThan(1_000)
})

const STREAMS = join(import.meta.dir, '../../../../test/fixtures/claude-code/stream')
/** Recorded runs; the exit code is what the release ends with (is_error → 1). */
const RECORDED: Record<string, FailureClass | null> = {
  'error-overloaded': 'overloaded',
  'error-bad-request': 'crash',
  'error-max-turns': 'turn_limit',
  'error-rate-limit': null,
  'error-dropped': null,
  'error-tool': null,
  'resume-missing': 'resume_refused',
  'background-agent': null,
  'compact-auto': null,
  killed: 'crash',
}
describe.each(['2.1.197', '2.1.328'])('as %s ended', (version) => {
  const names = readdirSync(join(STREAMS, version)).map((file) => file.replace('.jsonl', ''))
  test.each(names.filter((name) => name in RECORDED))('%s', (name) => {
    const reader = new RunReader()
    const events: RunEvent[] = []
    for (const line of readFileSync(join(STREAMS, version, `${name}.jsonl`))
      .toString()
      .split('\n'))
      events.push(...reader.read(Buffer.from(line)))
    const result = events.findLast((event) => event.kind === 'result')?.result ?? null
    const apiErrors = events.flatMap((event) => (event.kind === 'api_error' ? [event.text] : []))
    const ended = {
      ...END,
      result,
      apiErrors,
      exitCode: result ? Number(result.isError) : null,
      signal: result ? null : 'SIGKILL',
    }
    expect(outcome(ended).failureClass).toBe(RECORDED[name] ?? null)
  })
})
