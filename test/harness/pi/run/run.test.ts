/** How Pi is started, what it is given, and what its end means. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunArguments, RunEnd, RunResult } from '../../../../src/domain/harness/harness-run'
import { piRun } from '../../../../src/harness/pi/run'
import { pick } from '../../scenario'
import { AT, assistant, filesOf, header, observe, SESSION, says, session, user } from '../sessions'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync('/tmp/ld-'))
  mkdirSync(join(root, 'project'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const ID = SESSION
const place = () => ({ root: join(root, 'agent'), cwd: join(root, 'project') })
const own = () => ({ cwd: place().cwd })

const given = (more: Partial<RunArguments> = {}): RunArguments => ({
  ...{ model: null, permissionMode: null, maxTurns: null, maxCostUsd: null, settingSources: 'user,project,local' },
  ...{ files: {}, asksPermission: true, isBoxed: false, conversation: { kind: 'new', sessionId: ID }, ...more },
})

test('a run is started in its own session, and no repository adds a program to it', () => {
  expect(piRun.runArguments(given())).toEqual(['--mode', 'rpc', '--no-approve', '--session-id', ID])
  expect(
    piRun.runArguments(given({ conversation: { kind: 'fork', path: '/x/s.jsonl', sessionId: ID }, model: 'local/m' })),
  ).toEqual(['--mode', 'rpc', '--no-approve', '--model', 'local/m', '--fork', '/x/s.jsonl', '--session-id', ID])
  expect(piRun.runArguments(given({ settingSources: '' }))).toContain('--no-extensions')
  expect(piRun.runArguments(given({ files: { 'lodeline.cjs': '/r/lodeline.cjs' } }))).toContain('/r/lodeline.cjs')
})

test('values that the program would read as something else are refused', () => {
  for (const more of [
    { model: '--mode' },
    { model: 'a\nb' },
    { permissionMode: 'yolo' },
    { conversation: { kind: 'new', sessionId: '../x' } },
    { conversation: { kind: 'fork', path: 'relative', sessionId: ID } },
  ] as const)
    expect(() => piRun.runArguments(given(more as Partial<RunArguments>))).toThrow()
})

test('a person opens a session at a terminal', () => {
  const open = { resume: null, fork: false, sessionId: null, model: null }
  expect(piRun.openArguments({ ...open, resume: ID })).toEqual(['--session', ID])
  expect(piRun.openArguments({ ...open, resume: ID, fork: true })).toEqual(['--fork', ID])
  expect(piRun.openArguments({ ...open, sessionId: ID })).toEqual(['--session-id', ID])
  expect(() => piRun.openArguments({ ...open, fork: true })).toThrow()
})

test('a run gets the keys of its model, and nothing of another agent', () => {
  const env = piRun.runEnvironment(
    {
      ...{ PATH: '/bin', HOME: '/h', ANTHROPIC_API_KEY: 'k', OPENROUTER_API_KEY: 'k', PI_CODING_AGENT_DIR: '/d' },
      ...{
        PI_SESSION_ID: 'other',
        PI_CODING_AGENT_SESSION_DIR: '/s',
        AI_AGENT: 'pi',
        SECRET: 'x',
        LODELINE_TOKEN: 'x',
      },
      ...{ NODE_OPTIONS: '--require /evil.js', AWS_SECRET_ACCESS_KEY: 'x' },
    },
    { LODELINE_TASK_ID: 't-1' },
  )
  expect(Object.keys(env).sort()).toEqual(
    [
      'ANTHROPIC_API_KEY',
      'HOME',
      'LODELINE_TASK_ID',
      'OPENROUTER_API_KEY',
      'PATH',
      'PI_CODING_AGENT_DIR',
      'PI_SKIP_VERSION_CHECK',
    ].sort(),
  )
  expect(['GITHUB_TOKEN', 'PI_SESSION_FILE', 'NODE_OPTIONS', ''].map(piRun.mayPassOn)).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('its model is reached where the person says', () => {
  const env = { HOME: root }
  mkdirSync(join(root, '.pi/agent'), { recursive: true })
  writeFileSync(
    join(root, '.pi/agent/models.json'),
    JSON.stringify({ providers: { a: { baseUrl: 'http://10.0.0.9:1/v1' }, b: { baseUrl: 'no url' } } }),
  )
  expect(piRun.modelUrls(env)).toContain('http://10.0.0.9:1/v1')
  expect(piRun.modelUrls(env)).not.toContain('no url')
  expect(piRun.modelUrls({ HOME: '/nowhere' })).toContain('https://api.anthropic.com')
})

test('a release that is too old, and a program that is another, are refused with a hint', async () => {
  const program = join(root, 'pi')
  const says = (text: string) => {
    writeFileSync(program, `#!/bin/sh\necho '${text}'\n`)
    chmodSync(program, 0o755)
    return piRun.version(program, { PATH: process.env.PATH ?? '' })
  }
  expect(await says('0.87.1')).toBe('0.87.1')
  expect(await says('1.5.2')).toBe('1.5.2')
  expect(says('0.9.3')).rejects.toThrow('too old')
  expect(says('hello')).rejects.toThrow('is not Pi')
  expect(piRun.findExecutable({ PATH: `relative:${root}` }, null)).toBe(program)
  expect(() => piRun.findExecutable({ PATH: '/nowhere' }, null)).toThrow('not found in PATH')
  expect(() => piRun.findExecutable({}, 'relative/pi')).toThrow()
})

test('the extension holds no token, and is a program', () => {
  const options = { serverUrl: 'http://127.0.0.1:1', token: 'secret-token', tools: [] as const }
  const [file] = piRun.runFiles(options as unknown as Parameters<typeof piRun.runFiles>[0])
  expect(file?.text).not.toContain('secret-token')
  const module = { exports: null }
  new Function('module', file?.text ?? '')(module)
  expect(module.exports).toBeFunction()
  // By these the CLI would compile it first.
  expect(file?.text).not.toMatch(/^\s*(?:import|export)\b/m)
})

async function* pieces(name: string, ...texts: string[]) {
  for (const text of texts) yield { name, bytes: new Uint8Array(Buffer.from(text)) }
}

test('a session is restored under the name that the program gives it, and found there', async () => {
  const lines = [header(AT, own()), says(AT, 'aaaaaaaa', null, user('Hi'))].map((line) => `${line}\n`)
  await piRun.restore(place(), ID, pieces(`${ID}.jsonl`, ...lines))
  const path = piRun.transcriptPath(place(), ID)
  expect(path).toEndWith(`/2026-06-01T00-00-00-000Z_${ID}.jsonl`)
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
  // Again, with more, and with less than is there.
  await piRun.restore(place(), ID, pieces(`${ID}.jsonl`, ...lines, 'more\n'))
  expect(readFileSync(path, 'utf8')).toEndWith('more\n')
  await piRun.restore(place(), ID, pieces(`${ID}.jsonl`, ...lines))
  expect(readFileSync(path, 'utf8')).toEndWith('more\n')
  await expect(piRun.restore(place(), ID, pieces(`${ID}.jsonl`, lines[0] ?? '', 'other\n'))).rejects.toThrow('differs')
  expect(readdirSync(dirname(path))).toHaveLength(1)
})

test('a session of another folder is neither found nor restored here: the program would work there', async () => {
  const line = `${header(AT, { cwd: '/home/user/elsewhere' })}\n`
  await expect(piRun.restore(place(), ID, pieces(`${ID}.jsonl`, line))).rejects.toThrow('belongs to the folder')
  const path = piRun.transcriptPath(place(), ID)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(join(dirname(path), `2026-06-01T00-00-00-000Z_${ID}.jsonl`), line)
  expect(existsSync(piRun.transcriptPath(place(), ID))).toBe(false)
})

test('hostile files are not restored', async () => {
  for (const [name, text] of [
    ['../../evil.jsonl', `${header(AT, own())}\n`],
    [`${ID}.jsonl`, 'no session\n'],
    [`${ID}.jsonl`, `${JSON.stringify({ ...JSON.parse(header(AT, own())), timestamp: '../../../x' })}\n`],
  ] as const)
    await expect(piRun.restore(place(), ID, pieces(name, text))).rejects.toThrow()
  expect(() => piRun.transcriptPath(place(), '../../x')).toThrow()
})

test('a copy ends with the last finished answer', () => {
  const lines = [
    header(AT),
    says(AT + 1, 'aaaaaaaa', null, user('One')),
    says(AT + 2, 'bbbbbbbb', 'aaaaaaaa', assistant('First.')),
    says(AT + 3, 'cccccccc', 'bbbbbbbb', user('Two')),
    says(AT + 4, 'dddddddd', 'cccccccc', assistant('', { stopReason: 'toolUse' })),
  ]
  const file = session(lines)
  const cut = piRun.cutAtLastTurn(file.bytes)
  expect(Buffer.from(cut?.bytes ?? []).toString()).toBe(
    lines
      .slice(0, 3)
      .map((line) => `${line}\n`)
      .join(''),
  )
  expect(cut?.lastUuid).toBe(pick(observe(file), 'event')[1]?.uuid ?? '')
  expect(piRun.cutAtLastTurn(session(lines.slice(0, 2)).bytes)).toBeNull()
  expect(piRun.cutAtLastTurn(new Uint8Array([1, 2, 3]))).toBeNull()
  const whole = filesOf('tools')[0]?.bytes ?? Buffer.alloc(0)
  expect(Buffer.from(piRun.cutAtLastTurn(whole)?.bytes ?? []).equals(whole)).toBe(true)
})

const NOW = Date.UTC(2026, 5, 1)
const end = (more: Partial<RunEnd>): RunEnd => ({
  ...{ exitCode: 0, signal: null, result: null, stderr: '', apiErrors: [], isResume: false, now: NOW, ...more },
})
const result = (more: Partial<RunResult> = {}): RunResult => ({
  ...{ subtype: 'success', isError: false, text: 'Done.', errors: [], numTurns: 1, costUsd: null, usage: null },
  ...{ terminalReason: null, sessionId: null, ...more },
})
const failed = (error: string) => result({ isError: true, text: null, errors: [error] })

test('the last answer decides, whatever the exit code says', () => {
  expect(piRun.outcome(end({ result: result() }))).toMatchObject({ isOk: true })
  for (const [error, failureClass] of [
    ['401: {"message":"Incorrect API key"}', 'login'],
    ['403: {"message":"Forbidden"}', 'login'],
    ['No API key found for anthropic.', 'login'],
    ['400: {"code":"context_length_exceeded"}', 'prompt_too_long'],
    ['prompt is too long: 210000 tokens > 200000 maximum', 'prompt_too_long'],
    ['429: {"message":"Rate limit reached","type":"rate_limit_error"}', 'overloaded'],
    ['500: {"message":"boom"}', 'overloaded'],
    ['Connection error.', 'overloaded'],
    ['404: {"message":"no such model"}', 'bad_flag'],
    ['Something else', 'crash'],
  ] as const)
    expect([error, piRun.outcome(end({ result: failed(error) })).failureClass]).toEqual([error, failureClass])
})

test('a refused conversation is told from a refused request', () => {
  const error = '400: {"message":"bad request","type":"invalid_request_error"}'
  expect(piRun.outcome(end({ result: failed(error), isResume: true })).failureClass).toBe('resume_refused')
  expect(piRun.outcome(end({ result: failed(error) })).failureClass).toBe('bad_flag')
})

test('a limit of the account is known, with its end where the text says it', () => {
  for (const [error, minutes] of [
    ['You have hit your ChatGPT usage limit (plus plan). Try again in ~90 min.', 90],
    ['429: {"message":"You exceeded your current quota","code":"insufficient_quota"}', null],
    [`usage_limit_reached {"resets_at": ${NOW / 1_000 + 3_600}}`, 60],
    [`usage_limit_reached {"resets_at": ${NOW / 1_000 - 3_600}}`, null],
    ['Monthly usage limit reached, resets in 99999999d', null],
  ] as const) {
    const { failureClass, resetAt } = piRun.outcome(end({ result: failed(error) }))
    const expected = minutes === null ? null : new Date(NOW + minutes * 60_000).toISOString()
    expect([error, failureClass, resetAt]).toEqual([error, 'usage_limit', expected])
  }
})

test('a run that ended without a word is a crash, and says how', () => {
  expect(piRun.outcome(end({ exitCode: null, signal: 'SIGKILL' }))).toMatchObject({
    failureClass: 'crash',
    reason: expect.stringContaining('SIGKILL'),
  })
  expect(piRun.outcome(end({ exitCode: 1, stderr: "No session found matching 'x'\n" }))).toMatchObject({
    failureClass: 'resume_refused',
  })
  const stderr = 'Warning: a new session begins.\nError: Model "x" not found. Use --list-models.\n'
  expect(piRun.outcome(end({ exitCode: 1, stderr }))).toMatchObject({
    failureClass: 'bad_flag',
    reason: 'The model can\'t be used: Model "x" not found. Use --list-models. Change the task\'s model and retry.',
  })
  expect(piRun.outcome(end({ exitCode: 3, stderr: 'odd\n' }))).toMatchObject({
    failureClass: 'crash',
    reason: expect.stringContaining('odd'),
  })
  expect(piRun.outcome(end({ result: result({ numTurns: 0 }) }))).toMatchObject({ failureClass: 'agent' })
  expect(piRun.outcome(end({ result: result({ isError: true, subtype: 'error_max_turns' }) }))).toMatchObject({
    failureClass: 'turn_limit',
  })
  expect(piRun.outcome(end({ result: result({ isError: true, subtype: 'error_max_budget_usd' }) }))).toMatchObject({
    failureClass: 'cost_limit',
  })
})

test('the output of a run is recognised by its first answer, among other lines', async () => {
  const { classify } = (await import('../../../../src/harness/pi/files')).piFiles
  const first = '{"id":"lodeline-begin","type":"response","command":"get_state","success":true}\n'
  expect(classify('/x/stream.jsonl', Buffer.from(`{"type":"extension_ui_request"}\n${first}`))).toMatchObject({
    kind: 'stream',
  })
  expect(classify('/x/stream.jsonl', Buffer.from('{"type":"system","subtype":"init"}\n'))).toBeNull()
})
