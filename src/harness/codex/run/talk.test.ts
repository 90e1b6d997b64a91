import { describe, expect, setSystemTime, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent, RunLaunch } from '../../../domain/harness/harness-run'
import { outcome } from './outcome'
import { hookCommand } from './run-hooks'
import { CodexTalk } from './talk'

const ID = '01a20a09-3427-7722-b11c-4096c99205b6'
const OTHER = '01a20a09-3427-7722-b11c-4096c99205b7'
const LAUNCH: RunLaunch = {
  ...{ conversation: { kind: 'new', sessionId: crypto.randomUUID() }, model: null, permissionMode: null },
  ...{ maxTurns: null, maxCostUsd: null, files: {}, settingSources: 'user', asksPermission: true, isBoxed: false },
  ...{ lode: ['lode'], serverUrl: 'http://127.0.0.1:1/', token: 'secret-token', denied: [], root: '/nowhere' },
  ...{ mcpServers: [], tools: [], cwd: '/repo', userHome: '/home/user' },
}
const begun = (more: Partial<RunLaunch> = {}) => {
  const talk = new CodexTalk({ ...LAUNCH, ...more })
  const opening = messages(talk.opening())
  const listed = tell(talk, { id: 2, result: { data: [{ cwd: '/repo', hooks: HOOKS }] } })
  return { talk, listed, opening: [...opening, ...replies(listed)] }
}
/** What the CLI reports of hooks: the run's own, another of its place, and the person's. */
const OWN_HOOK = hookCommand(['lode'])
const HOOKS = [
  { key: '/<session-flags>:0', command: OWN_HOOK, currentHash: 'sha256:1', source: 'sessionFlags' },
  { key: '/<session-flags>:1', command: 'evil', currentHash: 'sha256:2', source: 'sessionFlags' },
  { key: '/home/hooks.json:0', command: OWN_HOOK, currentHash: 'sha256:1', source: 'user' },
]
type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown }
const messages = (text: string): Message[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const tell = (talk: CodexTalk, message: object): RunEvent[] => talk.read(Buffer.from(JSON.stringify(message)))
const replies = (events: RunEvent[]): Message[] =>
  events.flatMap((event) => (event.kind === 'reply' ? messages(event.text) : []))
const opened = (talk: CodexTalk, id = ID) => tell(talk, { id: 3, result: { thread: { id }, model: 'm', cwd: '/repo' } })
const turn = (method: string, more: object = {}) => ({ method, params: { threadId: ID, turn: { id: 't1', ...more } } })

describe('the opening', () => {
  test('greets the CLI and opens the thread, with the settings of the run and no token', () => {
    const { opening } = begun({ model: 'gpt-5' })
    expect(opening.map(({ method }) => method)).toEqual(['initialize', 'initialized', 'hooks/list', 'thread/start'])
    const { config, ...params } = opening[3]?.params ?? {}
    // With another sandbox the CLI notes in the person's settings that it trusts the project.
    expect(params).toMatchObject({ cwd: '/repo', model: 'gpt-5', sandbox: 'read-only', approvalPolicy: 'untrusted' })
    expect(config).toMatchObject({
      projects: { '/repo': { trust_level: 'untrusted' }, '/': { trust_level: 'untrusted' } },
      mcp_servers: { lodeline: { url: 'http://127.0.0.1:1/mcp', bearer_token_env_var: 'LODELINE_TOKEN' } },
    })
    expect(JSON.stringify(opening)).not.toContain('secret-token')
  })

  test('trusts the hook of the run alone, and goes on without one that the CLI does not list', () => {
    const { opening } = begun()
    const hook = { type: 'command', command: OWN_HOOK, timeout: 10, additionalContextLimit: 0 }
    expect(opening[3]?.params?.config).toHaveProperty('hooks', {
      SessionStart: [{ hooks: [hook] }],
      state: { '/<session-flags>:0': { trusted_hash: 'sha256:1' } },
    })
    for (const answer of [{ error: { code: -32_601, message: 'unknown' } }, { result: { data: 7 } }]) {
      const talk = new CodexTalk(LAUNCH)
      talk.opening()
      const [open] = replies(tell(talk, { id: 2, ...answer }))
      expect(open?.method).toBe('thread/start')
      expect(open?.params?.config).not.toHaveProperty('hooks')
    }
  })

  test('leaves the trust of a project alone where its settings count', () => {
    const { opening } = begun({ settingSources: 'user,project' })
    expect(opening[3]?.params?.config).not.toHaveProperty('projects')
  })

  test('goes on in no thread that is none: an id that is no UUID would begin a new one', () => {
    const { opening, listed } = begun({ conversation: { kind: 'resume', sessionId: 'nonsense' } })
    expect(opening.map(({ method }) => method)).toEqual(['initialize', 'initialized', 'hooks/list'])
    expect(listed).toContainEqual(
      expect.objectContaining({ kind: 'result', result: expect.objectContaining({ isError: true }) }),
    )
  })

  test('says so when the thread is not there', () => {
    const { talk } = begun({ conversation: { kind: 'resume', sessionId: ID } })
    const events = tell(talk, { id: 3, error: { code: -32_600, message: 'no rollout found' } })
    expect(events).toMatchObject([{ kind: 'result', result: { subtype: 'resume_refused' } }, { kind: 'state' }])
  })

  test('says nothing into another thread than the one that was asked for', () => {
    const { talk } = begun({ conversation: { kind: 'resume', sessionId: ID } })
    talk.say('hello', 'u1', 'next')
    expect(opened(talk, OTHER)).toMatchObject([{ kind: 'init', sessionId: OTHER }])
  })

  test('names a server of the person that is not there', () => {
    const [result] = begun({ mcpServers: ['mine'] }).listed
    expect(result).toMatchObject({ result: { errors: [expect.stringContaining('worker.mcpServers names mine')] } })
  })

  test("switches off the person's own servers, but for those that the worker names", () => {
    const root = mkdtempSync('/tmp/ld-')
    try {
      writeFileSync(join(root, 'config.toml'), '[mcp_servers.mine]\ncommand="a"\n[mcp_servers.other]\ncommand="b"\n')
      const { opening } = begun({ root, mcpServers: ['mine'] })
      const config = opening[3]?.params?.config
      expect(config).toMatchObject({ mcp_servers: { other: { enabled: false } } })
      expect(config).not.toHaveProperty('mcp_servers.mine')
    } finally {
      rmSync(root, { recursive: true })
    }
  })
})

describe('what is said', () => {
  test('waits for the thread, begins a turn, and goes into one that is under way', () => {
    const { talk } = begun()
    expect(talk.say('one', 'u1', 'next')).toBe('')
    const [start] = replies(opened(talk))
    expect(start).toMatchObject({ method: 'turn/start', params: { threadId: ID, clientUserMessageId: 'u1' } })
    expect(talk.say('two', 'u2', 'now')).toBe('')
    const [steer] = replies(tell(talk, turn('turn/started')))
    expect(steer).toMatchObject({ method: 'turn/steer', params: { expectedTurnId: 't1', clientUserMessageId: 'u2' } })
    const item = { threadId: ID, item: { type: 'userMessage', id: 'i', clientId: 'u2' } }
    expect(tell(talk, { method: 'item/completed', params: item })).toEqual([{ kind: 'delivered', uuid: 'u2' }])
  })

  test('begins another turn when the one that it was meant for has ended', () => {
    const { talk } = begun()
    opened(talk)
    talk.say('one', 'u1', 'next')
    tell(talk, turn('turn/started'))
    const [steer] = messages(talk.say('two', 'u2', 'next'))
    tell(talk, turn('turn/completed', { status: 'completed' }))
    const [again] = replies(tell(talk, { id: steer?.id, error: { code: -32_600, message: 'no active turn' } }))
    expect(again).toMatchObject({ method: 'turn/start', params: { clientUserMessageId: 'u2' } })
  })

  test('a turn that failed tells its kind, and a text that waits begins no other', () => {
    const { talk } = begun()
    opened(talk)
    talk.say('one', 'u1', 'next')
    tell(talk, turn('turn/started'))
    const error = { message: 'You hit it.', codexErrorInfo: 'usageLimitExceeded' }
    const events = tell(talk, turn('turn/completed', { status: 'failed', error }))
    expect(events).toMatchObject([
      { kind: 'result', result: { subtype: 'usageLimitExceeded', errors: ['You hit it.'] } },
      { kind: 'state', state: 'idle' },
    ])
  })

  test('an interruption names the turn; without one there is nothing to interrupt', () => {
    const { talk } = begun()
    expect(talk.interrupt()).toBe('')
    opened(talk)
    tell(talk, turn('turn/started'))
    expect(messages(talk.interrupt())).toMatchObject([{ method: 'turn/interrupt', params: { turnId: 't1' } }])
  })
})

describe('what the CLI asks', () => {
  const command = (text: string, more: object = {}) => ({
    id: 7,
    method: 'item/commandExecution/requestApproval',
    params: { threadId: ID, itemId: 'c1', command: `/bin/bash -lc '${text}'`, ...more },
  })
  const change = (talk: CodexTalk, path: string | null, threadId = ID) => {
    const item = { type: 'fileChange', id: 'f1', changes: [{ path, kind: { type: 'add' } }] }
    if (path !== null) tell(talk, { method: 'item/started', params: { threadId, item } })
    return tell(talk, { id: 8, method: 'item/fileChange/requestApproval', params: { threadId, itemId: 'f1' } })
  }
  const asked = (more: Partial<RunLaunch> = {}) => {
    const { talk } = begun(more)
    opened(talk)
    return talk
  }

  test('reaches a person, whose answer goes back', () => {
    const talk = asked()
    const events = tell(talk, command('git push', { reason: 'I need it' }))
    expect(events).toContainEqual({
      ...{ kind: 'permission', requestId: '7', toolUseId: 'c1', toolName: 'Bash' },
      ...{ input: { command: 'git push' }, description: 'I need it' },
    })
    expect(messages(talk.permit('7', { behavior: 'deny' }))).toEqual([{ id: 7, result: { decision: 'decline' } }])
    expect(talk.permit('7', { behavior: 'allow' })).toBe('')
  })

  test('is refused by a rule, in whatever form the command is named, also where nobody is asked', () => {
    const talk = asked({ permissionMode: 'bypassPermissions', denied: ['Bash(rm *)', 'Edit(/repo/.git/**)'] })
    const refused = [{ id: 7, result: { decision: 'decline' } }]
    expect(replies(tell(talk, command('rm -rf x')))).toEqual(refused)
    const parts = { command: '/bin/bash -lc "rm \'x\'"', commandActions: [{ type: 'unknown', command: "rm 'x'" }] }
    expect(replies(tell(talk, command('', parts)))).toEqual(refused)
    expect(replies(tell(talk, command('ls')))).toEqual([{ id: 7, result: { decision: 'accept' } }])
    expect(replies(change(talk, '/repo/.git/config'))).toEqual([{ id: 8, result: { decision: 'decline' } }])
    expect(replies(change(talk, '/repo/a'))).toEqual([{ id: 8, result: { decision: 'accept' } }])
    expect(replies(change(talk, '/repo/.git/config', OTHER))).toEqual([{ id: 8, result: { decision: 'decline' } }])
    expect(replies(change(talk, '/repo/a', OTHER))).toEqual([{ id: 8, result: { decision: 'accept' } }])
  })

  test('of which nothing is known, is asked in every mode', () => {
    for (const permissionMode of ['bypassPermissions', 'acceptEdits']) {
      const nothing = { ...command(''), params: { threadId: ID, itemId: 'c1' } }
      for (const events of [change(asked({ permissionMode }), null), tell(asked({ permissionMode }), nothing)])
        expect(events).toContainEqual(expect.objectContaining({ kind: 'permission' }))
    }
  })

  test('acceptEdits changes files of the folder without a question, and nothing else', () => {
    const talk = asked({ permissionMode: 'acceptEdits' })
    expect(replies(change(talk, '/repo/a'))).toEqual([{ id: 8, result: { decision: 'accept' } }])
    expect(replies(change(talk, '/etc/passwd'))).toEqual([])
    expect(tell(talk, command('ls'))).toContainEqual(expect.objectContaining({ kind: 'permission' }))
  })

  test('a tool of a server is named as rules name it', () => {
    const _meta = { codex_approval_kind: 'mcp_tool_call', tool_name: 'write', tool_params: { path: 'x' } }
    const params = { threadId: ID, serverName: 'files', _meta }
    const events = tell(asked(), { id: 9, method: 'mcpServer/elicitation/request', params })
    expect(events).toContainEqual(expect.objectContaining({ toolName: 'mcp__files__write', input: { path: 'x' } }))
  })

  test('what nobody can answer is refused at once', () => {
    const events = tell(asked(), { id: 'x', method: 'item/permissions/requestApproval', params: { threadId: ID } })
    expect(replies(events)).toMatchObject([{ id: 'x', error: { code: -32_601 } }])
  })
})

test('agents that work and commands that outlive their turn are in the background', () => {
  const { talk } = begun()
  opened(talk)
  const status = (type: string) =>
    tell(talk, { method: 'thread/status/changed', params: { threadId: OTHER, status: { type } } })
  expect(status('active')).toEqual([{ kind: 'background', agents: [OTHER], shells: [] }])
  expect(status('idle')).toEqual([{ kind: 'background', agents: [], shells: [] }])
})

test('a bound of turns interrupts the turn only where the model would be called again', () => {
  const { talk } = begun({ maxTurns: 1 })
  opened(talk)
  tell(talk, turn('turn/started'))
  const used = (totalTokens: number) =>
    tell(talk, {
      method: 'thread/tokenUsage/updated',
      params: { threadId: ID, tokenUsage: { total: { totalTokens }, last: { inputTokens: 5, outputTokens: 1 } } },
    })
  expect(used(6)).toEqual([])
  tell(talk, { method: 'item/started', params: { threadId: ID, item: { type: 'commandExecution', id: 'c' } } })
  // The CLI repeats a sum.
  expect(used(6)).toEqual([])
  expect(replies(used(12))).toMatchObject([{ method: 'turn/interrupt' }])
  // A command that waited for approval is not reported any more.
  const [background, result] = tell(talk, turn('turn/completed', { status: 'interrupted' }))
  expect(background).toEqual({ kind: 'background', agents: [], shells: [] })
  expect(result).toMatchObject({ result: { subtype: 'error_max_turns', numTurns: 2, usage: { inputTokens: 10 } } })
})

test('a turn that waits for the network ends after five minutes, and says so', () => {
  const { talk } = begun()
  opened(talk)
  tell(talk, turn('turn/started'))
  const message = 'Reconnecting... waiting for network'
  const away = () => tell(talk, { method: 'error', params: { threadId: ID, willRetry: true, error: { message } } })
  setSystemTime(1_800_000_000_000)
  try {
    expect(away()).toEqual([{ kind: 'retrying', attempt: 1, reason: message, delayMs: 0 }])
    setSystemTime(1_800_000_299_000)
    expect(replies(away())).toEqual([])
    setSystemTime(1_800_000_301_000)
    expect(replies(away())).toMatchObject([{ method: 'turn/interrupt' }])
    // It was asked once.
    expect(replies(away())).toEqual([])
  } finally {
    setSystemTime()
  }
  const events = tell(talk, turn('turn/completed', { status: 'interrupted' }))
  const result = events.find((event) => event.kind === 'result')?.result ?? null
  const end = { exitCode: 0, signal: null, stderr: '', apiErrors: [], isResume: false, now: 0 }
  expect(outcome({ ...end, result })).toMatchObject({
    failureClass: 'overloaded',
    reason: expect.stringContaining('was not reached: It waited for the network for five minutes.'),
  })
})

const HOSTILE = [
  '',
  'Segmentation fault',
  '[]',
  'null',
  '{"method":7}',
  '{"id":{},"result":1}',
  '{"method":"turn/started"}',
]
test.each(HOSTILE)('the line %p does no harm', (line) => {
  const { talk } = begun()
  opened(talk)
  expect(talk.read(Buffer.from(line))).toEqual([])
})
