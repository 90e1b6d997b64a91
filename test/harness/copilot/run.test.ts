/** How Copilot CLI is run: arguments, environment, the protocol, and what the end of a run means. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunEnd, RunEvent, RunLaunch, RunResult } from '../../../src/domain/harness/harness-run'
import { copilotRun } from '../../../src/harness/copilot/run'
import { cutAtLastTurn, forkOf } from '../../../src/harness/copilot/run/fork'
import { CopilotTalk } from '../../../src/harness/copilot/run/talk'
import { pick } from '../scenario'
import { observe, SESSION, sessionOf } from './sessions'

let root: string
beforeAll(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const launch = (more: Partial<RunLaunch> = {}): RunLaunch => ({
  ...{
    conversation: { kind: 'new', sessionId: SESSION },
    files: { 'mcp.json': '/run/mcp.json', 'plugin.json': '/run/plugin.json' },
    settingSources: '',
  },
  ...{ asksPermission: true, isBoxed: false, model: null, permissionMode: null, maxTurns: null, maxCostUsd: null },
  ...{ lode: ['/lode'], serverUrl: 'http://127.0.0.1:1', token: 't', denied: ['Bash(rm *)', 'Edit(~/.ssh/**)'] },
  ...{ root, mcpServers: [], tools: [], cwd: '/home/user/project', userHome: '/home/user' },
  ...more,
})

describe('arguments', () => {
  test('of a run: the protocol, the tools of the task, no server of the person’s own that was not named', () => {
    writeFileSync(join(root, 'mcp-config.json'), JSON.stringify({ mcpServers: { notes: {}, mail: {} } }))
    expect(copilotRun.runArguments(launch({ model: 'gpt-5.2', mcpServers: ['notes'] }))).toEqual([
      ...['--acp', '--no-auto-update', '--disallow-temp-dir', '--model=gpt-5.2'],
      ...[
        '--additional-mcp-config=@/run/mcp.json',
        '--plugin-dir=/run',
        '--allow-tool=lodeline',
        '--disable-mcp-server=mail',
      ],
    ])
    expect(() => copilotRun.runArguments(launch({ mcpServers: ['none'] }))).toThrow('has no such MCP server')
    rmSync(join(root, 'mcp-config.json'))
  })

  test('what the CLI can not do, and what could be taken for an option, is refused', () => {
    expect(() => copilotRun.runArguments(launch({ maxCostUsd: 1 }))).toThrow('maxCostUsd')
    expect(() => copilotRun.runArguments(launch({ model: '--yolo' }))).toThrow('not the name of a model')
    expect(() => copilotRun.openArguments({ resume: SESSION, fork: true, sessionId: null, model: null })).toThrow(
      'fork',
    )
    expect(() => copilotRun.transcriptPath({ root }, '../x')).toThrow('not a session ID')
  })

  test('for a person at a terminal', () => {
    const none = { resume: null, fork: false, sessionId: null, model: null }
    expect(copilotRun.openArguments({ ...none, resume: SESSION })).toEqual([`--resume=${SESSION}`])
    expect(copilotRun.openArguments({ ...none, sessionId: SESSION })).toEqual([`--session-id=${SESSION}`])
  })
})

test('a run gets what its model needs, and nothing of another agent’s session', () => {
  const base = {
    PATH: '/bin',
    COPILOT_HOME: '/c',
    COPILOT_AGENT_SESSION_ID: 'x',
    COPILOT_ALLOW_ALL: 'true',
    SECRET: 's',
  }
  expect(copilotRun.runEnvironment(base, { LODELINE_TASK_ID: 't' })).toEqual({
    ...{ PATH: '/bin', COPILOT_HOME: '/c', LODELINE_TASK_ID: 't', COPILOT_AUTO_UPDATE: 'false' },
  })
  expect(copilotRun.modelUrls({ COPILOT_PROVIDER_BASE_URL: 'http://m/v1' })).toEqual(['http://m/v1'])
})

describe('a session’s file', () => {
  const place = () => ({ root, cwd: '/' })
  async function* pieces(...texts: string[]) {
    for (const text of texts) yield { name: `${SESSION}.jsonl`, bytes: Buffer.from(text) }
  }

  test('is written back where the CLI looks for it, never over one that differs', async () => {
    const path = copilotRun.transcriptPath(place(), SESSION)
    await copilotRun.restore(place(), SESSION, pieces('one\n', 'two\n'))
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
    await copilotRun.restore(place(), SESSION, pieces('one\n'))
    await copilotRun.restore(place(), SESSION, pieces('one\ntwo\nthree\n'))
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n')
    expect(copilotRun.restore(place(), SESSION, pieces('other\n'))).rejects.toThrow('differs')
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n')
  })

  test('is open in a process that lives and is the CLI; a lock that a crash left counts for nothing', () => {
    const folder = dirname(copilotRun.transcriptPath(place(), SESSION))
    mkdirSync(folder, { recursive: true })
    for (const pid of [process.pid, 4_194_303]) writeFileSync(join(folder, `inuse.${pid}.lock`), `${pid}\n`)
    expect(copilotRun.openedBy(place(), SESSION)).toBeNull()
  })
})

test('in a sandbox a run sees its own session alone, reads what is unpacked, and keeps nothing else', () => {
  const OTHER = '99999999-9999-4999-8999-999999999999'
  for (const name of [SESSION, OTHER, '.locks']) mkdirSync(join(root, 'session-state', name), { recursive: true })
  for (const name of ['settings.json', 'config.json', 'logs']) writeFileSync(join(root, name), '')
  const state = (kind: 'new' | 'resume', env: Record<string, string>) =>
    copilotRun.state({ root, cwd: '/' }, { conversation: { kind, sessionId: SESSION }, env })
  expect(state('resume', { HOME: '/home/user' })).toMatchObject({
    ...{ kept: ['session-state'], copied: [join(root, 'config.json')], private: ['config.json', 'logs'] },
    ...{ hidden: [`session-state/${OTHER}`], elsewhere: ['/home/user/.cache/copilot/pkg'] },
  })
  expect(state('new', { XDG_CACHE_HOME: '/c' })).toMatchObject({
    ...{ hidden: [`session-state/${SESSION}`, `session-state/${OTHER}`], elsewhere: ['/c/copilot/pkg'] },
  })
  for (const name of ['settings.json', 'config.json', 'logs', 'session-state'])
    rmSync(join(root, name), { recursive: true })
})

/** A talk, and what it said on each line. */
class Heard {
  readonly talk: CopilotTalk
  readonly replies: { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown }[] = []

  constructor(more: Partial<RunLaunch> = {}) {
    this.talk = new CopilotTalk(launch(more))
    this.hear(this.talk.opening())
  }

  hear(text: string): void {
    for (const line of text.split('\n').filter((one) => one !== '')) this.replies.push(JSON.parse(line))
  }

  read(message: object): RunEvent[] {
    const events = this.talk.read(Buffer.from(JSON.stringify(message)))
    for (const event of events) if (event.kind === 'reply') this.hear(event.text)
    return events.filter(({ kind }) => kind !== 'reply')
  }

  /** Answers its newest request. */
  answer(result: object): RunEvent[] {
    return this.read({ id: this.replies.findLast(({ id, method }) => id !== undefined && method)?.id, result })
  }

  update(update: object): RunEvent[] {
    return this.read({ method: 'session/update', params: { sessionId: SESSION, update } })
  }

  says(text: string): RunEvent[] {
    return this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  }

  asks(id: number, toolCall: object): RunEvent[] {
    return this.read({ id, method: 'session/request_permission', params: { sessionId: SESSION, toolCall } })
  }

  /** As far as a turn that was begun with a prompt, with the model asked. */
  static atWork(more: Partial<RunLaunch> = {}): Heard {
    const heard = new Heard(more)
    heard.talk.say('Begin', 'u-1', 'next')
    heard.answer({ agentInfo: { version: '1.0.102' } })
    heard.answer({ sessionId: SESSION })
    heard.update({ sessionUpdate: 'usage_update', used: 1, size: 2 })
    return heard
  }
}

const resultOf = (events: RunEvent[]): RunResult | undefined =>
  events.flatMap((event) => (event.kind === 'result' ? [event.result] : []))[0]

describe('the exchange', () => {
  test('a prompt waits for the session, which the CLI names', () => {
    const heard = new Heard()
    expect(heard.talk.say('Begin', 'u-1', 'next')).toBe('')
    heard.answer({ agentInfo: { version: '1.0.102' } })
    expect(heard.answer({ sessionId: SESSION })).toContainEqual(
      expect.objectContaining({ kind: 'init', sessionId: SESSION, version: '1.0.102' }),
    )
    expect(heard.replies.map(({ method }) => method)).toEqual(['initialize', 'session/new', 'session/prompt'])
    expect(heard.update({ sessionUpdate: 'usage_update' })).toEqual([{ kind: 'delivered', uuid: 'u-1' }])
  })

  test('the history of a session that is opened again is nothing new; one that is not there is told', () => {
    const conversation = { kind: 'resume' as const, sessionId: SESSION }
    const heard = new Heard({ conversation })
    heard.answer({})
    expect(heard.says('Of yesterday')).toEqual([])
    expect(heard.replies.at(-1)).toMatchObject({ method: 'session/load', params: { sessionId: SESSION } })
    const id = heard.replies.at(-1)?.id
    const events = heard.read({ id, error: { code: -32_002, message: 'Resource not found' } })
    expect(resultOf(events)).toMatchObject({ isError: true, subtype: 'resume_refused' })
  })

  test('warnings of the CLI are no words of the agent; its last words are the result', () => {
    const heard = new Heard()
    heard.talk.say('Begin', 'u-1', 'next')
    heard.answer({})
    heard.answer({ sessionId: SESSION })
    heard.says('Warning: 1 tool call(s) had no recorded result')
    heard.update({ sessionUpdate: 'usage_update' })
    heard.says('I look. ')
    expect(heard.update({ sessionUpdate: 'tool_call', toolCallId: 'c', kind: 'read', title: 'View' })).toEqual([
      { kind: 'text', text: 'I look.' },
      { kind: 'tool', text: 'read: View' },
    ])
    heard.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' })
    heard.says('It is ')
    heard.says('white.')
    const usage = { inputTokens: 300, cachedReadTokens: 100, outputTokens: 5 }
    expect(resultOf(heard.answer({ stopReason: 'end_turn', usage }))).toMatchObject({
      ...{ isError: false, text: 'It is white.', numTurns: 2 },
      usage: { inputTokens: 200, cacheReadTokens: 100, outputTokens: 5 },
    })
  })

  test('what a sub-agent says is not what the agent says', () => {
    const heard = Heard.atWork()
    const _meta = { 'github.com/copilot': { agentId: 'a' } }
    heard.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Child.' }, _meta })
    heard.says('Parent.')
    expect(resultOf(heard.answer({ stopReason: 'end_turn', usage: {} }))?.text).toBe('Parent.')
  })

  test('an error in the model’s place fails the turn, also after tools; notes of the CLI are no words', () => {
    const heard = Heard.atWork()
    heard.update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x' })
    heard.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' })
    expect(heard.says('Info: Request failed due to a transient API error. Retrying...')).toMatchObject([
      { kind: 'retrying' },
    ])
    heard.says('Error: 400 bad request')
    expect(resultOf(heard.answer({ stopReason: 'end_turn', usage: { inputTokens: 1 } }))).toMatchObject({
      ...{ isError: true, errors: ['Error: 400 bad request'] },
    })
    const model = Heard.atWork()
    model.says('The log says ')
    model.says('Error: none')
    expect(resultOf(model.answer({ stopReason: 'end_turn', usage: {} }))).toMatchObject({ isError: false })
  })

  test('a message at once begins another turn, and the end of the first one is none of the work', () => {
    const heard = Heard.atWork()
    const first = heard.replies.at(-1)?.id
    heard.hear(heard.talk.say('Stop', '00000000-0000-4000-8000-000000000002', 'now'))
    expect(JSON.stringify(heard.replies.at(-1)?.params)).toContain('[lodeline:00000000-0000-4000-8000-000000000002]')
    expect(heard.read({ id: first, result: { stopReason: 'cancelled' } })).toEqual([])
    heard.update({ sessionUpdate: 'usage_update' })
    heard.says('Stopped.')
    expect(resultOf(heard.answer({ stopReason: 'end_turn', usage: {} }))?.text).toBe('Stopped.')
  })

  test('more turns than are allowed end it', () => {
    const heard = Heard.atWork({ maxTurns: 1 })
    heard.update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x' })
    heard.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' })
    heard.update({ sessionUpdate: 'tool_call', toolCallId: 'd', title: 'x' })
    expect(heard.replies.at(-1)).toMatchObject({ method: 'session/cancel' })
    const id = heard.replies.findLast(({ method }) => method === 'session/prompt')?.id
    expect(resultOf(heard.read({ id, result: { stopReason: 'cancelled' } }))).toMatchObject({
      subtype: 'error_max_turns',
    })
  })

  test('lines of any kind give an answer', () => {
    const heard = Heard.atWork()
    for (const message of [
      {},
      { id: {} },
      { method: 7 },
      { id: 99, result: 1 },
      { method: 'session/update', params: 1 },
    ])
      expect(heard.read(message)).toEqual([])
    expect(heard.talk.read(Buffer.from('no JSON'))).toEqual([])
    heard.read({ id: 5, method: 'fs/read_text_file', params: { path: '/etc/passwd' } })
    expect(heard.replies.at(-1)).toMatchObject({ id: 5, error: { code: -32_601 } })
  })
})

describe('approval', () => {
  const run = (command: string, commands = [command]) => ({
    ...{ toolCallId: 'c', kind: 'execute', title: 'Run', rawInput: { command, commands } },
  })
  const edit = (path: string) => ({ toolCallId: 'c', kind: 'edit', title: 'Edit', rawInput: { fileName: path } })
  const chosen = (heard: Heard) =>
    (heard.replies.at(-1)?.result as { outcome?: { optionId?: string } } | undefined)?.outcome?.optionId

  test('what a rule refuses is refused in every mode, also as a part of a command, and the agent is told in another turn', () => {
    const heard = Heard.atWork({ permissionMode: 'bypassPermissions' })
    heard.asks(1, run('true && rm -rf /', ['true', 'rm -rf /']))
    expect(chosen(heard)).toBe('reject_once')
    heard.asks(2, edit('/home/user/.ssh/config'))
    expect(chosen(heard)).toBe('reject_once')
    heard.asks(3, run('make'))
    expect(chosen(heard)).toBe('allow_once')
    const id = heard.replies.findLast(({ method }) => method === 'session/prompt')?.id
    expect(resultOf(heard.read({ id, result: { stopReason: 'end_turn', usage: {} } }))).toBeUndefined()
    expect(JSON.stringify(heard.replies.at(-1)?.params)).toContain('were not allowed')
  })

  test('the mode decides the rest: edits in the working directory, nothing, or a person', () => {
    const edits = Heard.atWork({ permissionMode: 'acceptEdits' })
    edits.asks(1, edit('/home/user/project/a.txt'))
    expect(chosen(edits)).toBe('allow_once')
    expect(edits.asks(2, edit('/home/user/other/a.txt')).at(-1)).toMatchObject({ kind: 'permission', toolName: 'Edit' })
    // A move out of the folder is asked about as a whole: a rule that allows the one place says nothing of the other.
    const move = { toolCallId: 'c', kind: 'move', rawInput: {}, locations: [{ path: 'a.txt' }, { path: '/etc/a.txt' }] }
    expect(edits.asks(3, move).at(-1)).toMatchObject({
      ...{ kind: 'permission', toolName: 'ApplyPatch' },
      input: { files: '/home/user/project/a.txt\n/etc/a.txt' },
    })
    const none = Heard.atWork({ permissionMode: 'dontAsk' })
    none.asks(1, run('make'))
    expect(chosen(none)).toBe('reject_once')
    const person = Heard.atWork()
    expect(person.asks(7, run('make')).at(-1)).toMatchObject({
      ...{ kind: 'permission', requestId: '7', toolUseId: 'c', toolName: 'Bash', input: { command: 'make' } },
    })
    person.hear(person.talk.permit('7', { behavior: 'allow', message: null, input: {} }))
    expect(chosen(person)).toBe('allow_once')
    expect(person.talk.permit('7', { behavior: 'allow', message: null, input: {} })).toBe('')
  })

  test('a tool of a server has the name that rules know', () => {
    const heard = Heard.atWork({ mcpServers: ['notes'] })
    heard.update({ sessionUpdate: 'tool_call', toolCallId: 'c', kind: 'other', title: 'notes-add' })
    expect(
      heard.asks(1, { toolCallId: 'c', kind: 'other', title: 'add', rawInput: { text: 'x' } }).at(-1),
    ).toMatchObject({
      toolName: 'mcp__notes__add',
    })
  })
})

describe('the end of a run', () => {
  const end = (said: string, more: Partial<RunEnd> & { subtype?: string } = {}) => {
    const { subtype = 'error', ...rest } = more
    const result: RunResult = {
      ...{ subtype, isError: true, text: null, errors: said === '' ? [] : [said], numTurns: 1, costUsd: null },
      ...{ usage: null, terminalReason: null, sessionId: SESSION },
    }
    return copilotRun.outcome({
      exitCode: 0,
      signal: null,
      result,
      stderr: '',
      apiErrors: [],
      isResume: false,
      now: 0,
      ...rest,
    })
  }

  test('each failure has its class', () => {
    const cases: [string, string][] = [
      ['Error: 401 Incorrect API key provided', 'login'],
      ['Error: 402 You have exceeded your monthly quota', 'usage_limit'],
      ['Error: 429 You have exceeded your premium request allowance', 'usage_limit'],
      ['Error: Failed to get response from the AI model; retried 5 times Last error: 429 slow down', 'overloaded'],
      ['Error: 500 oops', 'overloaded'],
      ['Error: 413 too large', 'prompt_too_long'],
      ['Error: 404 no such model', 'bad_flag'],
      ['Error: 400 bad request', 'bad_flag'],
      ['', 'crash'],
    ]
    for (const [said, failureClass] of cases) expect({ said, ...end(said) }).toMatchObject({ said, failureClass })
    expect(end('Error: 400 bad request', { isResume: true }).failureClass).toBe('resume_refused')
    expect(end('', { subtype: 'error_max_turns' }).failureClass).toBe('turn_limit')
    expect(end('not there', { subtype: 'resume_refused' }).failureClass).toBe('resume_refused')
    expect(end('Check your key.', { subtype: 'login' })).toMatchObject({
      failureClass: 'login',
      reason: expect.stringContaining('Check your key. Run'),
    })
  })

  test('without a result the process tells', () => {
    const bare = { result: null, stderr: 'first\nlast words\n', apiErrors: [], isResume: false, now: 0 }
    expect(copilotRun.outcome({ ...bare, exitCode: 1, signal: null })).toMatchObject({
      ...{
        isOk: false,
        failureClass: 'crash',
        reason: 'Copilot CLI ended before it had a result, with exit code 1. It said: last words.',
      },
    })
    expect(copilotRun.outcome({ ...bare, exitCode: null, signal: 'SIGKILL' }).reason).toContain('SIGKILL')
  })
})

describe('a copy of a conversation', () => {
  const lines = (bytes: Uint8Array): { type: string; id: string }[] =>
    new TextDecoder()
      .decode(bytes)
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))

  test('ends with the last finished turn of the main thread, byte for byte', () => {
    const { bytes } = sessionOf('continued')
    const cut = cutAtLastTurn(bytes)
    const kept = lines(cut?.bytes ?? new Uint8Array())
    expect(bytes.subarray(0, cut?.bytes.length).equals(cut?.bytes ?? new Uint8Array())).toBe(true)
    expect(kept.slice(-2).map(({ type }) => type)).toEqual(['assistant.message', 'assistant.turn_end'])
    expect(kept.at(-2)?.id).toBe(cut?.lastUuid ?? '')
    // Whatever a turn under way has added is left out.
    const underWay = bytes.subarray(0, (cut?.bytes.length ?? 0) - 10)
    expect(lines(cutAtLastTurn(underWay)?.bytes ?? new Uint8Array()).length).toBeLessThan(kept.length)
    expect(cutAtLastTurn(Buffer.from('{"type":"session.start"}\n{"type":"user.message"}\nno json\n'))).toBeNull()
  })

  test('names the new session in its first line, and the record takes the rest for copied', () => {
    const { bytes } = sessionOf('todos')
    const fork = forkOf(bytes, SESSION, new Date())
    expect(lines(fork).slice(1)).toEqual(lines(bytes).slice(1))
    const seen = observe({ ref: sessionOf('todos').ref, bytes: Buffer.from(fork) })
    const kinds = new Set(seen.map(({ kind }) => kind))
    expect(kinds).toEqual(new Set(['session', 'event', 'kind']))
    expect(pick(seen, 'event').every(({ isCopied }) => isCopied)).toBe(true)
    expect(pick(observe(sessionOf('todos')), 'event').some(({ isCopied }) => isCopied)).toBe(false)
    expect(() => forkOf(Buffer.from('{"type":"user.message"}\n'), SESSION, new Date())).toThrow('does not begin')
  })
})
