/** How opencode is run: arguments, environment, the exchange with it and our plugin, and what the end of a run means. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEnd, RunEvent, RunLaunch } from '../../../src/domain/harness/harness-run'
import { follow } from '../../../src/harness/opencode/carry'
import { classify } from '../../../src/harness/opencode/classify'
import { remind } from '../../../src/harness/opencode/plugin/remind'
import { opencodeRun } from '../../../src/harness/opencode/run'
import { gateAll, gateCalls } from '../../../src/harness/opencode/run/gate'
import { OpencodeTalk } from '../../../src/harness/opencode/run/talk'
import { journalsOfStory, sessionOf } from './database'

const SESSION = 'ses_20a0aaaaaaaa'
const UUID = '01890000-0000-7000-8000-000000000000'
const OTHER = '01890000-0000-7000-8000-000000000001'

let root: string
beforeAll(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const launch = (more: Partial<RunLaunch> = {}): RunLaunch => ({
  ...{ conversation: { kind: 'new', sessionId: 'none' }, files: {}, settingSources: '' },
  ...{ asksPermission: true, isBoxed: false },
  ...{ model: null, permissionMode: null, maxTurns: null, maxCostUsd: null },
  ...{ lode: ['/lode'], serverUrl: 'http://127.0.0.1:1/', token: 't', denied: ['Bash(rm *)', 'Edit(**/.git/**)'] },
  ...{ root, mcpServers: ['my notes'], tools: [], cwd: '/home/user/project', userHome: '/home/user' },
  ...more,
})

describe('arguments and environment', () => {
  test('a model and a mode that the CLI does not know are refused, and no option is made of an id', () => {
    expect(opencodeRun.runArguments(launch({ model: 'local/m' }))).toEqual(['acp'])
    expect(() => opencodeRun.runArguments(launch({ model: '--auto' }))).toThrow('not the name of a model')
    expect(() => opencodeRun.runArguments(launch({ permissionMode: 'auto' }))).toThrow('permissionMode')
    const none = { resume: null, fork: false, sessionId: null, model: null }
    expect(opencodeRun.openArguments({ ...none, resume: SESSION, fork: true, model: 'a/b' })).toEqual([
      ...['--session', SESSION, '--fork', '--model', 'a/b'],
    ])
    expect(() => opencodeRun.openArguments({ ...none, resume: '--auto' })).toThrow('not a session ID')
  })

  test('a run gets the person’s settings with our plugin, no settings of the repository, and no other working directory', () => {
    const base = {
      ...{ PATH: '/bin', PWD: '/else', OPENCODE_PID: '1', SECRET: 's', MISTRAL_API_KEY: 'k' },
      OPENCODE_CONFIG_CONTENT: '{"plugin":["theirs"],"model":"a/b"}',
    }
    const env = opencodeRun.runEnvironment(base, { LODELINE_RUN_DIR: '/run dir' })
    expect(env).toMatchObject({ PATH: '/bin', MISTRAL_API_KEY: 'k', OPENCODE_DISABLE_PROJECT_CONFIG: '1' })
    for (const name of ['PWD', 'OPENCODE_PID', 'SECRET']) expect(env).not.toHaveProperty(name)
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '')).toMatchObject({
      ...{ model: 'a/b', plugin: ['theirs', 'file:///run%20dir/opencode-plugin.js'] },
    })
    expect(env.OPENCODE_SERVER_PASSWORD).toHaveLength(36)
  })
})

describe('rules', () => {
  const verdictOf = (name: string, input: object, mode: string | null = null) =>
    gateAll(launch({ permissionMode: mode as never }), gateCalls(name, input, ['my notes'])).verdict.behavior

  test('know the CLI’s tools by their names, and look at what the CLI will use', () => {
    expect(gateCalls('read', { filePath: 'a.txt', file_path: 'b.txt' }, [])).toEqual([
      { toolName: 'Read', input: { file_path: 'a.txt' } },
    ])
    expect(gateCalls('my_notes_add', {}, ['my notes'])[0].toolName).toBe('mcp__my notes__add')
    expect(gateCalls('lodeline_send-task', {}, [])[0].toolName).toBe('mcp__lodeline__send-task')
  })

  test('refuse a patch for any of its files, and what the worker denies in every mode', () => {
    const patchText = '*** Begin Patch\n*** Update File: a.txt\n*** Add File: .git/hooks/pre-commit\n*** End Patch'
    expect(verdictOf('apply_patch', { patchText }, 'bypassPermissions')).toBe('deny')
    expect(verdictOf('apply_patch', { patchText: 'nothing' }, 'acceptEdits')).toBe('ask')
    // A person decides about several files: a rule that allows one says nothing of the others.
    const several = { patchText: '*** Update File: a.txt\n*** Update File: /etc/hosts\n*** Update File: /etc/b' }
    const asked = (mode: string) =>
      gateAll(launch({ permissionMode: mode as never }), gateCalls('apply_patch', several, [])).call
    expect(asked('default')).toMatchObject({ toolName: 'ApplyPatch', input: { files: 'a.txt\n/etc/hosts\n/etc/b' } })
    expect(asked('acceptEdits')).toMatchObject({ toolName: 'ApplyPatch', input: { files: '/etc/hosts\n/etc/b' } })
    expect(verdictOf('bash', { command: 'rm -rf x' }, 'bypassPermissions')).toBe('deny')
  })

  test('of a mode: tools that change nothing are allowed in all, the rest is asked for or refused', () => {
    for (const mode of [null, 'plan', 'dontAsk'])
      for (const name of ['todowrite', 'task', 'lodeline_finish-task']) expect(verdictOf(name, {}, mode)).toBe('allow')
    expect(verdictOf('bash', { command: 'ls' })).toBe('ask')
    expect(verdictOf('bash', { command: 'ls' }, 'dontAsk')).toBe('deny')
    expect(verdictOf('bash', { command: 'ls' }, 'bypassPermissions')).toBe('allow')
  })
})

describe('the exchange', () => {
  const line = (message: object): Uint8Array => new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const sent = (events: RunEvent[]) =>
    events
      .flatMap((event) => (event.kind === 'reply' ? event.text.trim().split('\n') : []))
      .map((text) => JSON.parse(text))
  const plugin = (talk: OpencodeTalk, what: string, params: object) =>
    talk.read(line({ method: `lodeline/${what}`, params }))
  /** A session that is open, with one prompt. */
  const begun = (more: Partial<RunLaunch> = {}) => {
    const talk = new OpencodeTalk(launch(more))
    expect(talk.say('Do it', UUID, 'next')).toBe('')
    const { id } = JSON.parse(talk.opening())
    plugin(talk, 'ready', {})
    const [open] = sent(talk.read(line({ id, result: { agentInfo: { version: '1.18.33' } } })))
    const [prompt] = sent(talk.read(line({ id: open.id, result: { sessionId: SESSION } })))
    return { talk, open, prompt }
  }

  test('a run without our plugin asks the model nothing', () => {
    const talk = new OpencodeTalk(launch())
    const { id } = JSON.parse(talk.opening())
    const events = talk.read(line({ id, result: {} }))
    expect(events).toContainEqual(expect.objectContaining({ kind: 'result' }))
    expect(sent(events)).toEqual([])
  })

  test('a session has Lodeline’s tools by the run’s token, and its first prompt', () => {
    const { open, prompt } = begun()
    expect(open).toMatchObject({
      method: 'session/new',
      params: {
        cwd: '/home/user/project',
        mcpServers: [{ url: 'http://127.0.0.1:1/mcp', headers: [{ name: 'Authorization', value: 'Bearer t' }] }],
      },
    })
    expect(prompt).toMatchObject({ method: 'session/prompt', params: { sessionId: SESSION } })
  })

  test('an agent whose same call fails again and again is stopped, and so is a model of empty answers; others are not', () => {
    const { talk, prompt } = begun({ permissionMode: 'bypassPermissions' })
    let count = 0
    const call = (command: string, isError: boolean, session = SESSION) => {
      const callID = `call_${++count}`
      const args = { command, description: `try ${count}` }
      talk.read(line({ id: callID, method: 'lodeline/call', params: { session, callID, tool: 'bash', args } }))
      const told = { session, callID, isError }
      // The CLI may tell the same end twice.
      return [...sent(plugin(talk, 'called', told)), ...sent(plugin(talk, 'called', told))]
    }
    const failing = (times: number, command: string, session = SESSION) => {
      for (let n = 0; n < times; n++) expect(call(command, true, session)).toEqual([])
    }
    // A success and another call begin anew; sub-agents count for themselves.
    failing(7, 'make')
    expect(call('make', false)).toEqual([])
    failing(7, 'make')
    failing(1, 'make test')
    failing(7, 'make')
    failing(7, 'make', 'ses_child')
    expect(call('make', true)).toMatchObject([{ method: 'session/cancel' }])
    talk.read(line({ id: prompt.id, result: {} }))
    const [, ended] = plugin(talk, 'rest', { session: SESSION, error: { name: 'MessageAbortedError' } })
    expect(ended).toMatchObject({ kind: 'result', result: { subtype: 'loop', isError: true } })
    expect(opencodeRun.outcome({ ...END, ...(ended?.kind === 'result' && { result: ended.result }) })).toMatchObject({
      ...{ isOk: false, failureClass: 'agent' },
      reason: expect.stringContaining('the same call failed 8 times in a row (bash: make'),
    })

    const empty = begun()
    const step = (id: string) =>
      sent(plugin(empty.talk, 'step', { session: SESSION, id, reason: 'unknown', tokens: { output: 0 } }))
    expect([step('a'), step('b')]).toEqual([[], []])
    expect(step('c')).toMatchObject([{ method: 'session/cancel' }])
  })

  test('a turn is over once all that was said in it is answered and the session is idle; steps are counted once', () => {
    const { talk, prompt } = begun()
    const step = { session: SESSION, id: 'p1', reason: 'stop', tokens: { input: 5, output: 2 }, cost: 0.5 }
    plugin(talk, 'step', step)
    plugin(talk, 'step', step)
    plugin(talk, 'step', { ...step, session: 'ses_child', id: 'p2' })
    const more = JSON.parse(talk.say('And this', OTHER, 'next'))
    expect(sent(talk.read(line({ id: prompt.id, result: {} })))).toEqual([])
    const [rest] = sent(talk.read(line({ id: more.id, result: {} })))
    expect(rest).toMatchObject({ method: '_lodeline/rest', params: { session: SESSION } })
    const result = plugin(talk, 'rest', { session: SESSION, error: null }).find(({ kind }) => kind === 'result')
    expect(result).toMatchObject({
      result: { subtype: 'success', numTurns: 1, costUsd: 1, usage: { inputTokens: 10, outputTokens: 4 } },
    })
  })

  test('a slash begins no command of the CLI, and a message has its mark', () => {
    const { talk } = begun()
    const { params } = JSON.parse(talk.say('/compact', UUID, 'next'))
    expect(params.prompt[0].text).toStartWith('\u200b/compact\n\n')
    expect(plugin(talk, 'heard', { session: SESSION, text: params.prompt[0].text })).toEqual([
      { kind: 'delivered', uuid: UUID },
    ])
  })

  test('a call of a sub-agent is asked for like one of the agent’s, and answered once', () => {
    const { talk } = begun()
    const params = { session: 'ses_child', callID: 'c1', tool: 'bash', args: { command: 'ls' } }
    const events = talk.read(line({ id: 'lodeline-1', method: 'lodeline/call', params }))
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'permission', toolName: 'Bash', requestId: 'lodeline-1' }),
    )
    const answer = { behavior: 'deny', message: 'No.', input: {} } as const
    expect(JSON.parse(talk.permit('lodeline-1', answer))).toMatchObject({
      id: 'lodeline-1',
      result: { behavior: 'deny' },
    })
    expect(talk.permit('lodeline-1', answer)).toBe('')
  })

  test('a bound ends the turn, and the calls of its last answer', () => {
    const { talk, prompt } = begun({ maxTurns: 1 })
    const [cancel] = sent(plugin(talk, 'step', { session: SESSION, id: 'p1', reason: 'tool-calls', tokens: {} }))
    expect(cancel).toMatchObject({ method: 'session/cancel' })
    const params = { session: SESSION, callID: 'c1', tool: 'todowrite', args: {} }
    const [refused] = sent(talk.read(line({ id: 'lodeline-1', method: 'lodeline/call', params })))
    expect(refused.result.behavior).toBe('deny')
    talk.read(line({ id: prompt.id, error: { code: -32_603, message: 'Internal error: Aborted' } }))
    const events = plugin(talk, 'rest', { session: SESSION, error: { name: 'MessageAbortedError' } })
    expect(events[0]).toMatchObject({ kind: 'result', result: { subtype: 'error_max_turns', isError: true } })
  })

  test('a model that refuses for a limit of the account is not asked again for ever', () => {
    const { talk, prompt } = begun()
    const retry = { session: SESSION, attempt: 1, message: 'insufficient_quota', next: 0 }
    expect(sent(plugin(talk, 'retry', retry))).toMatchObject([{ method: 'session/cancel' }])
    talk.read(line({ id: prompt.id, result: { stopReason: 'cancelled' } }))
    const events = plugin(talk, 'rest', { session: SESSION, error: null })
    const result = events.flatMap((event) => (event.kind === 'result' ? [event.result] : []))[0] ?? null
    expect(opencodeRun.outcome({ ...END, result })).toMatchObject({ failureClass: 'usage_limit' })
  })

  test('no line makes it throw', () => {
    const { talk } = begun()
    for (const text of [
      '',
      'x',
      '[]',
      '{"method":7}',
      '{"method":"lodeline/call"}',
      '{"method":"lodeline/step","params":{"tokens":7}}',
    ])
      expect(() => talk.read(new TextEncoder().encode(text))).not.toThrow()
  })

  test('a copy ends with the last finished turn, and is made by the CLI', async () => {
    const [journal] = await journalsOfStory(root, 'plan')
    const cut = opencodeRun.cutAtLastTurn(journal?.bytes ?? new Uint8Array())
    if (cut === null) throw new Error('no turn is finished')
    writeFileSync(join(root, 'cut'), cut.bytes)
    const talk = new OpencodeTalk(
      launch({ conversation: { kind: 'fork', path: join(root, 'cut'), sessionId: 'none' } }),
    )
    const { id } = JSON.parse(talk.opening())
    plugin(talk, 'ready', {})
    const [fork] = sent(talk.read(line({ id, result: {} })))
    expect(fork).toMatchObject({ method: '_lodeline/fork', params: { session: sessionOf('plan'), before: null } })
    expect(sent(plugin(talk, 'forked', { session: 'ses_copy' }))).toMatchObject([
      { method: 'session/resume', params: { sessionId: 'ses_copy' } },
    ])
    expect(opencodeRun.cutAtLastTurn(new Uint8Array())).toBeNull()
  })
})

const END: RunEnd = {
  ...{ exitCode: 0, signal: null, result: null, stderr: '', apiErrors: [], isResume: false, now: 0 },
}

test('the end of a run means what its last turn says', () => {
  const failed = (error: string, isResume = false) =>
    opencodeRun.outcome({
      ...{ ...END, isResume },
      result: {
        ...{ subtype: 'error', isError: true, text: null, errors: [error], numTurns: 0, costUsd: null, usage: null },
        ...{ terminalReason: null, sessionId: SESSION },
      },
    }).failureClass
  for (const [error, failureClass] of [
    ['402 APIError: No more {"error":{}}', 'usage_limit'],
    ['429 APIError: You exceeded your current quota', 'usage_limit'],
    ['429 APIError: slow down', 'overloaded'],
    ['503 APIError: overloaded', 'overloaded'],
    ['401 APIError: no', 'login'],
    ['Missing environment variable: `HARBOUR_KEY`.', 'bad_flag'],
    ['ContextOverflowError: too long', 'prompt_too_long'],
    ['model not found: local/nobody', 'bad_flag'],
    ['400 APIError: bad request', 'bad_flag'],
    ['Something else', 'crash'],
  ] as const)
    expect([error, failed(error)]).toEqual([error, failureClass])
  expect(failed('400 APIError: bad request', true)).toBe('resume_refused')
  const crash = opencodeRun.outcome({
    ...END,
    exitCode: 1,
    stderr: 'It broke.\nGot response to unknown request lodeline-1\n',
  })
  expect(crash).toMatchObject({
    failureClass: 'crash',
    reason: 'opencode ended before it had a result, with exit code 1. It said: It broke.',
  })
})

test('the output of a run is recognised by its first lines', () => {
  const head =
    '{"jsonrpc":"2.0","method":"lodeline/ready","params":{}}\n{"jsonrpc":"2.0","id":1,"result":{"agentInfo":{"name":"OpenCode"}}}\n'
  expect(classify('/x/stream.jsonl', new TextEncoder().encode(head))).toMatchObject({
    agent: 'opencode',
    kind: 'stream',
  })
  expect(classify('/x/stream.jsonl', new TextEncoder().encode('{}\n'))).toBeNull()
})

test('a text that comes while a tool runs is what the model reads next: the chain goes on behind it', () => {
  const [call, person, answer, other, words] = [1, 2, 3, 4, 5].map((n) => `00000000-0000-8000-8000-00000000000${n}`)
  const carry = { lastUuid: null as string | null, openCalls: [] as string[] }
  const after = (...events: [string | undefined, string][]) => {
    follow(
      carry,
      events.map(([uuid = '', type]) => ({ uuid, type })),
    )
    return carry.lastUuid ?? undefined
  }
  expect(after([call, 'tool_call'])).toBe(call)
  expect(after([person, 'prompt'])).toBe(person)
  expect(after([call, 'tool_call'])).toBe(person)
  expect(after([call, 'tool_call'], [answer, 'tool_result'])).toBe(person)
  expect(after([other, 'tool_call'], [words, 'tool_result'])).toBe(words)
  expect(carry.openCalls).toEqual([])
})

describe('what our plugins put into a conversation', () => {
  const written = () => ({
    message: { id: 'msg_1' },
    parts: [{ id: 'prt_0', text: 'Go' }] as { id: string; text?: string }[],
  })
  const reminding = (messages: number, parentID?: string) =>
    remind(
      {
        directory: root,
        client: {
          session: {
            get: async () => ({ data: parentID === undefined ? {} : { parentID } }),
            messages: async () => ({ data: Array(messages).fill({}) }),
            fork: async () => ({}),
          },
          postSessionIdPermissionsPermissionId: async () => {},
        },
      },
      async (moment, session) => `${moment} of ${session}`,
    )
  const textsOf = async (hooks: ReturnType<typeof remind>) => {
    const given = written()
    await hooks['chat.message']({ sessionID: SESSION }, given)
    return given.parts.slice(1).map(({ text }) => text)
  }

  test('a first prompt gets the recall of a start or a resume, later ones what came meanwhile', async () => {
    const hooks = reminding(0)
    expect(await textsOf(hooks)).toEqual([`startup of ${SESSION}`])
    expect(await textsOf(hooks)).toEqual([`prompt of ${SESSION}`])
    expect(await textsOf(reminding(1))).toEqual([`resume of ${SESSION}`])
  })

  test('after a compaction every request has the recall, and before none', async () => {
    const hooks = reminding(0)
    const system: string[] = []
    await hooks['experimental.chat.system.transform']({ sessionID: SESSION }, { system })
    expect(system).toEqual([])
    await hooks['experimental.session.compacting']({ sessionID: SESSION })
    for (const _ of [1, 2]) await hooks['experimental.chat.system.transform']({ sessionID: SESSION }, { system })
    expect(system).toEqual([`compact of ${SESSION}`, `compact of ${SESSION}`])
  })

  test('a sub-agent’s session is told nothing', async () => {
    const hooks = reminding(0, 'ses_parent')
    expect(await textsOf(hooks)).toEqual([])
    await hooks['experimental.session.compacting']({ sessionID: SESSION })
    const system: string[] = []
    await hooks['experimental.chat.system.transform']({ sessionID: SESSION }, { system })
    expect(system).toEqual([])
  })
})
