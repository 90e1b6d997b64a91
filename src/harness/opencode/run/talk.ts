import { readFileSync } from 'node:fs'
import type { PermissionAnswer, RunEvent, RunLaunch, RunTalk } from '../../../domain/harness/harness-run'
import { type RunBound, reachedBound } from '../../../domain/harness/run-bounds'
import { messageId } from '../../../domain/ids'
import { messageMarker } from '../../../domain/message/message'
import { answerWords } from '../../acp/log-words'
import { AcpRequests, acpLine, acpMessage } from '../../acp/messages'
import { isUsageLimit } from '../../failures/usage-limit'
import { addCall } from '../../json-lines/call-words'
import { countOf, idOf, type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { LOG_WORDS_LIMIT, RESULT_LIMIT } from '../../json-lines/log-line'
import { clip, TextBudget } from '../../json-lines/text'
import { TELLING } from '../tools'
import { checkedId } from './arguments'
import { readCut } from './cut'
import { gateAll, gateCalls, OWN_SERVER } from './gate'
import { PLUGIN } from './plugin'
import { RepeatedFailures } from './repeated-failures'
import { Tally } from './tally'

/** Texts that are waited for; a run is sent a few. */
const PENDING_LIMIT = 1_000
/** The CLI tries again for ever while its model does not answer; a run gives up after this many reported tries, in half a minute. */
const MOST_RETRIES = 5
/** It asks again without an end while answers are empty; this many in a row are enough. */
const MOST_EMPTY = 3
/** Nor does it stop a model that makes the same call for ever (it asks, and there is nobody): this many failures of one call in a row. */
const MOST_FAILED = 8
/** It waits for as long as its provider says, hours too: at a longer wait than this, in milliseconds, the task waits instead of the run. */
const LONGEST_WAIT_MS = 120_000

type Ending = 'interrupted' | 'now' | RunBound | 'error' | 'long_wait' | 'loop'

/**
 * The exchange with one `opencode acp`: JSON-RPC in lines, by the Agent Client Protocol, and between them the messages of our plugin. A
 * text that comes while a turn is under way joins it: the model has it before its next answer.
 */
export class OpencodeTalk implements RunTalk {
  readonly #launch: RunLaunch
  readonly #requests = new AcpRequests<RunEvent[]>()
  readonly #tally = new Tally()
  /** What is to be said: before the session is open, or after the turn that is being ended. */
  readonly #queue: { text: string; uuid: string }[] = []
  /** Ids of texts that the conversation does not have yet. */
  readonly #pending: { text: string; uuid: string }[] = []
  /** Prompts that are not answered: the turn is under way until all are. */
  readonly #open = new Set<number>()
  /** Lines for the log about calls, until the protocol shows that they run. */
  readonly #calls = new Map<string, string>()
  /** Calls that somebody is asked about. */
  readonly #asked = new Set<string>()
  readonly #failures = new RepeatedFailures()
  /** Answers of the main agent's model in a row that held nothing. */
  #empty = 0
  #version: string | null = null
  #session: string | null = null
  #isReady = false
  #missing: string | null = null
  #hasBegun = false
  /** Why the turn is ended by us. */
  #ending: Ending | null = null
  /** The words since the last call, and how many of them the log has. */
  #words = ''
  #logged = 0
  #error: string | null = null

  constructor(launch: RunLaunch) {
    this.#launch = launch
  }

  opening(): string {
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
    return this.#requests.ask('initialize', { protocolVersion: 1, clientCapabilities }, (result, error) => {
      this.#version = idOf(recordOf(result?.agentInfo)?.version) ?? null
      if (error !== undefined) return this.#fail('error', said(error))
      return this.#isReady ? [reply(this.#enter())] : this.#fail('setup', NOT_GUARDED)
    })
  }

  read(bytes: Uint8Array): RunEvent[] {
    const message = acpMessage(bytes)
    if (message === null) return []
    try {
      return this.#take(message)
    } catch {
      // A value of a kind that nobody writes: the bytes are kept elsewhere.
      return []
    }
  }

  say(text: string, uuid: string, urgency: 'now' | 'next'): string {
    // The conversation keeps no id of ours: by the mark the record finds the message again. The first prompt is none.
    const marked = this.#hasBegun ? `${text}\n\n${messageMarker(messageId(uuid))}` : text
    this.#hasBegun = true
    // With a slash it would be a command of the CLI.
    const plain = marked.toWellFormed()
    const one = { text: /^\s*\//.test(plain) ? `\u200b${plain}` : plain, uuid }
    if (this.#session === null || (this.#ending !== null && this.#open.size > 0)) {
      if (this.#queue.length < PENDING_LIMIT) this.#queue.push(one)
      return ''
    }
    if (urgency === 'next' || this.#open.size === 0) return this.#prompt(one)
    this.#queue.push(one)
    return this.#end('now')
  }

  interrupt(): string {
    this.#queue.length = 0
    return this.#session === null ? '' : this.#end('interrupted')
  }

  permit(requestId: string, { behavior, message }: PermissionAnswer): string {
    if (!this.#asked.delete(requestId)) return ''
    return acpLine({ id: requestId, result: { behavior, message } })
  }

  /** Begins a session, opens one that is there, or has one copied. */
  #enter(): string {
    const { conversation } = this.#launch
    if (conversation.kind === 'new')
      return this.#requests.ask('session/new', this.#place(), (result, error) => {
        const session = idOf(result?.sessionId)
        return session === undefined ? this.#fail('error', said(error)) : this.#entered(session)
      })
    if (conversation.kind === 'resume') return this.#resume(checkedId(conversation.sessionId))
    const cut = readCut(readFileSync(conversation.path))
    return acpLine({ method: PLUGIN.askFork, params: { session: checkedId(cut.session), before: cut.before } })
  }

  #resume(sessionId: string): string {
    return this.#requests.ask('session/resume', { ...this.#place(), sessionId }, (_, error) =>
      error === undefined ? this.#entered(sessionId) : this.#fail('resume_refused', said(error)),
    )
  }

  /** Lodeline's tools, which know by the token whose run it is. */
  #place(): object {
    const { cwd, serverUrl, token } = this.#launch
    const headers = [{ name: 'Authorization', value: `Bearer ${token}` }]
    const server = { type: 'http', name: OWN_SERVER, url: `${serverUrl.replace(/\/+$/, '')}/mcp`, headers }
    return { cwd, mcpServers: [server] }
  }

  #entered(session: string): RunEvent[] {
    this.#session = session
    const { cwd, model, permissionMode } = this.#launch
    const init: RunEvent = { kind: 'init', sessionId: session, cwd, model, version: this.#version }
    if (this.#missing !== null) return [init, ...this.#fail('setup', this.#missing)]
    const begin = (_: unknown, error: JsonRecord | undefined): RunEvent[] =>
      error === undefined ? this.#next() : this.#fail('error', said(error))
    const mode = (_: unknown, error: JsonRecord | undefined): RunEvent[] =>
      error === undefined && permissionMode === 'plan'
        ? [reply(this.#requests.ask('session/set_mode', { sessionId: session, modeId: 'plan' }, begin))]
        : begin(_, error)
    if (model === null) return [init, ...mode(null, undefined)]
    return [init, reply(this.#requests.ask('session/set_model', { sessionId: session, modelId: model }, mode))]
  }

  /** What waits for the session, or for the end of a turn. */
  #next(): RunEvent[] {
    const waiting = this.#queue.splice(0)
    return waiting.length === 0
      ? []
      : [{ kind: 'state', state: 'running' }, ...waiting.map((one) => reply(this.#prompt(one)))]
  }

  #prompt(one: { text: string; uuid: string }): string {
    if (this.#open.size === 0) {
      this.#ending = null
      this.#error = null
      this.#words = ''
      this.#logged = 0
    }
    if (this.#pending.length < PENDING_LIMIT) this.#pending.push(one)
    const prompt = [{ type: 'text', text: one.text }]
    const line = this.#requests.ask('session/prompt', { sessionId: this.#session, prompt }, (_, error) =>
      this.#answered(id, error),
    )
    const id = this.#requests.lastId
    this.#open.add(id)
    return line
  }

  #answered(id: number, error: JsonRecord | undefined): RunEvent[] {
    this.#open.delete(id)
    if (error !== undefined) this.#error ??= said(error)
    if (this.#open.size > 0) return []
    const words = this.#sayWords()
    if (this.#ending === 'now') return [...words, ...this.#next()]
    return [...words, reply(acpLine({ method: PLUGIN.askRest, params: { session: this.#session } }))]
  }

  /** The session is idle, and all that it did is reported. */
  #rest(error: JsonRecord | undefined): RunEvent[] {
    if (this.#open.size > 0) return []
    if (this.#queue.length > 0) return this.#next()
    const why = this.#ending
    if (why === 'error' || why === 'long_wait' || why === 'loop') return this.#fail(why, this.#error ?? '')
    if (why !== null && why !== 'now') return this.#done(why, null, [])
    const told = error === undefined ? null : errorText(error)
    if (told === null && this.#error === null) return this.#done('success', clip(this.#words.trim(), RESULT_LIMIT), [])
    if (error?.name === 'MessageAbortedError') return this.#done('interrupted', null, [])
    return this.#fail('error', told ?? this.#error ?? '')
  }

  #fail(subtype: string, error: string): RunEvent[] {
    const text = clip(error, LOG_WORDS_LIMIT)
    return [{ kind: 'api_error', text }, ...this.#done(subtype, null, [text])]
  }

  #done(subtype: string, text: string | null, errors: string[]): RunEvent[] {
    const result = this.#tally.result(subtype, text, errors, this.#session)
    return [
      { kind: 'result', result },
      { kind: 'state', state: 'idle' },
    ]
  }

  #take(message: JsonRecord): RunEvent[] {
    const { id } = message
    const method = textOf(message.method)
    const params = recordOf(message.params) ?? {}
    if (method === undefined) return this.#requests.answered(message) ?? []
    if (method === PLUGIN.call) return this.#call(idOf(id) ?? '', params)
    if (method.startsWith('lodeline/')) return this.#told(method, params)
    // What the CLI asks by itself our plugin was asked before.
    if (method === 'session/request_permission')
      return [reply(acpLine({ id, result: { outcome: { outcome: 'selected', optionId: 'once' } } }))]
    if (id !== undefined)
      return [reply(acpLine({ id, error: { code: -32_601, message: 'Lodeline does not do this.' } }))]
    const update = method === 'session/update' ? recordOf(params.update) : undefined
    return update === undefined || this.#open.size === 0 ? [] : this.#update(update)
  }

  #told(method: string, params: JsonRecord): RunEvent[] {
    const isMain = params.session === this.#session
    switch (method) {
      case PLUGIN.ready:
        this.#isReady = true
        return []
      case PLUGIN.missing:
        this.#missing = `worker.mcpServers names ${listOf(params.names).map(String).join(', ')}, which opencode does not have`
        return []
      case PLUGIN.forked: {
        const session = idOf(params.session)
        if (session === undefined) return this.#fail('resume_refused', textOf(params.error) ?? 'it could not be copied')
        return [reply(this.#resume(checkedId(session)))]
      }
      case PLUGIN.heard:
        return isMain ? this.#heard(textOf(params.text) ?? '') : []
      case PLUGIN.called:
        return this.#called(params)
      case PLUGIN.step:
        return this.#tally.add(params, isMain) && isMain ? this.#stepped(params) : []
      case PLUGIN.retry:
        return isMain ? this.#retrying(params) : []
      case PLUGIN.compacted:
        return isMain ? [{ kind: 'compacted' }] : []
      case PLUGIN.rest:
        return isMain ? this.#rest(recordOf(params.error)) : []
      default:
        return []
    }
  }

  #heard(text: string): RunEvent[] {
    const at = this.#pending.findIndex((one) => one.text.trim() === text.trim())
    const [found] = at === -1 ? [] : this.#pending.splice(at, 1)
    return found === undefined ? [] : [{ kind: 'delivered', uuid: found.uuid }]
  }

  /** The plugin asks about a tool call, of the main agent or of a sub-agent. */
  #call(id: string, params: JsonRecord): RunEvent[] {
    const name = clip(textOf(params.tool) ?? 'tool', 200)
    const budget = new TextBudget(LOG_WORDS_LIMIT)
    addCall(budget, name, params.args, TELLING)
    const text = clip((budget.take() ?? name).replace('\n', ': ').replace(/\s+/g, ' ').trim(), 400)
    const isMain = params.session === this.#session
    if (isMain) this.#calls.set(idOf(params.callID) ?? '', text)
    this.#failures.begin(idOf(params.callID) ?? '', idOf(params.session) ?? '', name, params.args, text)
    if (this.#ending !== null) return [reply(decision(id, 'deny', 'The turn is being ended.'))]
    const { verdict, call } = gateAll(this.#launch, gateCalls(name, params.args, this.#launch.mcpServers))
    if (verdict.behavior !== 'ask') {
      const message = verdict.behavior === 'deny' ? `It is not allowed here (${verdict.rule}).` : null
      return [reply(decision(id, verdict.behavior, message))]
    }
    this.#asked.add(id)
    const toolUseId = idOf(params.callID) ?? null
    return [
      { kind: 'state', state: 'requires_action' },
      { kind: 'permission', requestId: id, toolUseId, ...call, description: isMain ? null : 'asked by a sub-agent' },
    ]
  }

  /** Those of sub-agents too: the main agent waits for them. */
  #called({ callID, isError }: JsonRecord): RunEvent[] {
    const failed = this.#failures.end(idOf(callID) ?? '', isError === true)
    if (failed === null || failed.count < MOST_FAILED || this.#ending !== null) return []
    this.#error = `the same call failed ${failed.count} times in a row (${failed.text})`
    return [reply(this.#end('loop'))]
  }

  #retrying({ attempt, message, next }: JsonRecord): RunEvent[] {
    const reason = clip(textOf(message) ?? 'no reason given', 500)
    const count = Math.max(1, Math.min(countOf(attempt), 1e6))
    const delayMs = Math.min(Math.max(0, countOf(next) - Date.now()), 1e9)
    const retrying: RunEvent = { kind: 'retrying', attempt: count, reason, delayMs }
    if (this.#ending !== null) return [retrying]
    if (delayMs > LONGEST_WAIT_MS) {
      this.#error = `${reason}; retry in ${Math.ceil(delayMs / 1_000)}s`
      return [retrying, reply(this.#end('long_wait'))]
    }
    if (count < MOST_RETRIES && !isUsageLimit(reason)) return [retrying]
    this.#error = reason
    return [retrying, reply(this.#end('error'))]
  }

  #update(update: JsonRecord): RunEvent[] {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (this.#words.length < RESULT_LIMIT) this.#words += textOf(recordOf(update.content)?.text) ?? ''
        return []
      case 'tool_call': {
        const words = this.#sayWords()
        this.#words = ''
        this.#logged = 0
        return words
      }
      case 'tool_call_update':
        if (update.status === 'in_progress') return this.#calledWords(idOf(update.toolCallId) ?? '')
        if (update.status !== 'completed' && update.status !== 'failed') return []
        return [
          ...this.#calledWords(idOf(update.toolCallId) ?? ''),
          { kind: 'state', state: 'running' },
          { kind: 'tool_result', text: answerWords(update) },
        ]
      default:
        return []
    }
  }

  /** The plugin reports a call before the protocol has the words that stand before it. */
  #calledWords(id: string): RunEvent[] {
    const text = this.#calls.get(id)
    this.#calls.delete(id)
    return text === undefined ? [] : [{ kind: 'tool', text }]
  }

  #stepped({ reason, tokens }: JsonRecord): RunEvent[] {
    const isEmpty = (reason === 'unknown' || reason === 'other') && countOf(recordOf(tokens)?.output) === 0
    this.#empty = isEmpty ? this.#empty + 1 : 0
    if (this.#empty < MOST_EMPTY || this.#ending !== null) return this.#checkBounds(reason === 'tool-calls')
    this.#error = `${this.#empty} answers in a row were empty`
    return [reply(this.#end('error'))]
  }

  /** The CLI has no such bounds: at ours the turn is ended. @param goesOn  the answer calls tools */
  #checkBounds(goesOn: boolean): RunEvent[] {
    if (!goesOn || this.#ending !== null) return []
    const bound = reachedBound(this.#launch, this.#tally)
    return bound === null ? [] : [reply(this.#end(bound))]
  }

  #end(why: Ending): string {
    this.#ending = why
    return acpLine({ method: 'session/cancel', params: { sessionId: this.#session } })
  }

  /** The words since the last call, which come in pieces. */
  #sayWords(): RunEvent[] {
    const text = clip(this.#words.slice(this.#logged), LOG_WORDS_LIMIT).trim()
    this.#logged = this.#words.length
    return text === '' ? [] : [{ kind: 'text', text }]
  }
}

const NOT_GUARDED = 'opencode did not load the plugin of Lodeline, without which nobody would be asked about tool calls'

const reply = (text: string): RunEvent => ({ kind: 'reply', text })

const decision = (id: string, behavior: 'allow' | 'deny', message: string | null): string =>
  acpLine({ id, result: { behavior, message } })

/** What the protocol says of a failure. */
const said = (error: JsonRecord | undefined): string =>
  (textOf(error?.message) ?? 'the CLI did not say why').replace(/^(?:Internal error|Invalid params): /, '')

/** And what the plugin says: `401 APIError: Incorrect API key provided {"error":…}`. */
function errorText({ name, message, status, body }: JsonRecord): string {
  const words = [
    typeof status === 'number' ? String(status) : '',
    `${textOf(name) ?? 'Error'}: ${textOf(message) ?? ''}`,
  ]
  return [...words, textOf(body) ?? ''].filter((word) => word !== '').join(' ')
}
