import type { PermissionAnswer, RunEvent, RunLaunch, RunTalk } from '../../../domain/harness/harness-run'
import { messageId } from '../../../domain/ids'
import { messageMarker } from '../../../domain/message/message'
import { answerWords, callWords } from '../../acp/log-words'
import { AcpRequests, acpLine, acpMessage } from '../../acp/messages'
import { countOf, idOf, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { LOG_WORDS_LIMIT, RESULT_LIMIT } from '../../json-lines/log-line'
import { clip } from '../../json-lines/text'
import { Approvals, type Decision } from './approvals'
import { checkedId } from './place'
import { writeFork } from './restore'
import { TurnCount } from './turn-count'

/** A text of ours on its way into the conversation; `uuid: null` = it is the talk's own. */
interface Said {
  text: string
  uuid: string | null
}

/** How often a run goes on without a call that was refused: an agent that asks for ever would never end. */
const REFUSAL_LIMIT = 20

/**
 * The exchange with one `copilot --acp`: JSON-RPC in lines, by the Agent Client Protocol. A turn is one request, answered when the turn is
 * over, sub-agents in the background included. Another request ends the turn that is under way.
 */
export class CopilotTalk implements RunTalk {
  readonly #launch: RunLaunch
  readonly #approvals: Approvals
  readonly #turns: TurnCount
  readonly #requests = new AcpRequests<RunEvent[]>()
  readonly #queue: Said[] = []
  #version: string | null = null
  #session: string | null = null
  /** The request whose turn is under way. */
  #turn: number | null = null
  /** The id of that turn, known when the conversation has it. */
  #undelivered: string | null = null
  #hasBegun = false
  /** The model was asked in this turn. */
  #isAsked = false
  /** The last words are one piece of the CLI's own in the model's place: it gives no other sign of a turn that failed. */
  #isRefusal = false
  /** The model said something since it was asked last. */
  #isAnswered = false
  #words = ''
  #logged = 0
  /** Calls that were refused in this turn: by that the CLI ends the turn, and the model never hears of it. */
  #refused: string[] = []
  #refusals = 0
  #bound: string | null = null

  constructor(launch: RunLaunch) {
    this.#launch = launch
    this.#approvals = new Approvals(launch)
    this.#turns = new TurnCount(launch.maxTurns)
  }

  opening(): string {
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
    return this.#requests.ask('initialize', { protocolVersion: 1, clientCapabilities }, (result, error) => {
      this.#version = idOf(recordOf(result?.agentInfo)?.version) ?? null
      return error === undefined ? this.#open() : this.#failed(error, 'other')
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
    const said = { text: this.#hasBegun ? `${text}\n\n${messageMarker(messageId(uuid))}` : text, uuid }
    this.#hasBegun = true
    if (this.#session !== null && (this.#turn === null || urgency === 'now')) return this.#begin(said)
    if (urgency === 'now') this.#queue.unshift(said)
    else this.#queue.push(said)
    return ''
  }

  interrupt(): string {
    this.#queue.length = 0
    return this.#session === null ? '' : this.#cancel()
  }

  permit(requestId: string, answer: PermissionAnswer): string {
    const decision = this.#approvals.answer(requestId, answer)
    return decision === null ? '' : this.#decide(decision)
  }

  /** Begins a session, or opens one that is there: its history comes first, and is nothing new. */
  #open(): RunEvent[] {
    const { conversation, cwd, root } = this.#launch
    // Lodeline's server is among the arguments: the CLI starts those of this list only after the first turn.
    const common = { cwd, mcpServers: [] }
    if (conversation.kind === 'new') {
      const ask = this.#requests.ask('session/new', common, (result, error) => {
        const session = idOf(result?.sessionId)
        return session === undefined ? this.#failed(error, 'other') : this.#opened(session)
      })
      return [reply(ask)]
    }
    const sessionId = checkedId(conversation.sessionId)
    try {
      if (conversation.kind === 'fork') writeFork({ root }, sessionId, conversation.path)
    } catch (error) {
      return this.#failed({ message: error instanceof Error ? error.message : String(error) }, 'resume_refused')
    }
    const ask = this.#requests.ask('session/load', { ...common, sessionId }, (_, error) =>
      error === undefined ? this.#opened(sessionId) : this.#failed(error, 'resume_refused'),
    )
    return [reply(ask)]
  }

  #opened(session: string): RunEvent[] {
    this.#session = session
    const { cwd, model } = this.#launch
    return [{ kind: 'init', sessionId: session, cwd, model, version: this.#version }, ...this.#next()]
  }

  /** What waits for the end of a turn, or for the session. */
  #next(): RunEvent[] {
    const said = this.#queue.shift()
    return said === undefined ? [] : [{ kind: 'state', state: 'running' }, reply(this.#begin(said))]
  }

  #begin({ text, uuid }: Said): string {
    this.#words = ''
    this.#logged = 0
    this.#refused = []
    this.#isAsked = false
    this.#isRefusal = false
    this.#undelivered = uuid
    const prompt = [{ type: 'text', text: text.toWellFormed() }]
    const line = this.#requests.ask('session/prompt', { sessionId: this.#session, prompt }, (result, error) =>
      this.#turn === turn ? this.#ended(result, error) : [],
    )
    const turn = this.#requests.lastId
    this.#turn = turn
    return line
  }

  #ended(result: JsonRecord | undefined, error: JsonRecord | undefined): RunEvent[] {
    const before = [...this.#deliver(), ...this.#sayWords()]
    this.#turn = null
    if (error !== undefined) return [...before, ...this.#failed(error, 'other')]
    if (this.#queue.length > 0) return [...before, ...this.#next()]
    if (this.#bound === null && this.#refused.length > 0 && this.#refusals++ < REFUSAL_LIMIT)
      return [...before, { kind: 'state', state: 'running' }, reply(this.#begin(this.#goOn()))]
    const words = this.#words.trim()
    const usage = recordOf(result?.usage)
    if (this.#bound !== null) return [...before, ...this.#rest(this.#bound, [], usage)]
    if (result?.stopReason === 'cancelled') return [...before, ...this.#rest('interrupted', [], usage)]
    if (this.#isRefusal || result?.stopReason === 'refusal') return [...before, ...this.#rest('error', [words], usage)]
    return [...before, ...this.#rest(null, [], usage)]
  }

  /** The words with which the model goes on after a call was refused. */
  #goOn(): Said {
    const calls = this.#refused.slice(0, 20).map((words) => `- ${words}`)
    const text = `These calls were not allowed, and did not run:\n${calls.join('\n')}\nGo on without them. Say what you can not do.`
    return { text, uuid: null }
  }

  /** The turn is over, and nothing follows. @param subtype  `null` = it ended well */
  #rest(subtype: string | null, errors: string[], usage?: JsonRecord): RunEvent[] {
    const cacheReadTokens = countOf(usage?.cachedReadTokens)
    const cacheCreationTokens = countOf(usage?.cachedWriteTokens)
    const inputTokens = Math.max(0, countOf(usage?.inputTokens) - cacheReadTokens - cacheCreationTokens)
    return [
      { kind: 'state', state: 'idle' },
      {
        kind: 'result',
        result: {
          subtype: subtype ?? 'success',
          isError: subtype !== null,
          text: subtype === null ? clip(this.#words.trim(), RESULT_LIMIT) : null,
          errors: errors.map((error) => clip(error, 2_000)),
          numTurns: this.#turns.count,
          costUsd: null,
          usage:
            usage === undefined
              ? null
              : { inputTokens, cacheReadTokens, cacheCreationTokens, outputTokens: countOf(usage.outputTokens) },
          terminalReason: null,
          sessionId: this.#session,
        },
      },
    ]
  }

  #failed(error: JsonRecord | undefined, kind: 'other' | 'resume_refused'): RunEvent[] {
    const message = textOf(error?.message) ?? 'the CLI did not say why'
    return this.#rest(kind === 'other' && error?.code === -32_000 ? 'login' : kind, [message])
  }

  #take(message: JsonRecord): RunEvent[] {
    const { id } = message
    const method = textOf(message.method)
    const params = recordOf(message.params) ?? {}
    if (method === undefined) return this.#requests.answered(message) ?? []
    if (typeof id === 'number' || typeof id === 'string') return this.#requested(id, method, params)
    const update = method === 'session/update' ? recordOf(params.update) : undefined
    // Before the session is open it is its history.
    return update === undefined || this.#turn === null ? [] : [...this.#deliver(), ...this.#update(update)]
  }

  #requested(id: string | number, method: string, params: JsonRecord): RunEvent[] {
    if (method !== 'session/request_permission')
      return [reply(acpLine({ id, error: { code: -32_601, message: 'Lodeline does not do this.' } }))]
    const read = this.#approvals.read(id, params)
    return 'kind' in read ? [{ kind: 'state', state: 'requires_action' }, read] : [reply(this.#decide(read))]
  }

  #decide({ id, isAllowed, words }: Decision): string {
    if (!isAllowed) this.#refused.push(words)
    return acpLine({
      id,
      result: { outcome: { outcome: 'selected', optionId: isAllowed ? 'allow_once' : 'reject_once' } },
    })
  }

  #update(update: JsonRecord): RunEvent[] {
    // Calls and words of sub-agents name the call that launched them.
    const isMain = recordOf(recordOf(update._meta)?.['github.com/copilot'])?.agentId === undefined
    if (update.sessionUpdate === 'tool_call') this.#approvals.see(update)
    switch (update.sessionUpdate) {
      case 'usage_update':
        this.#isAsked = true
        this.#isAnswered = false
        return []
      case 'agent_message_chunk': {
        if (!isMain) return []
        const piece = textOf(recordOf(update.content)?.text) ?? ''
        const own = this.#ownWords(piece)
        if (own !== null) return own
        this.#isRefusal = isRefusal(piece, this.#isAnswered)
        // What was said before is no part of why the turn failed.
        const before = this.#isRefusal ? this.#takeWords() : []
        if (!this.#isRefusal) this.#isAnswered = true
        this.#turns.said()
        if (this.#words.length < RESULT_LIMIT) this.#words += piece
        return [...before, ...this.#checkBound()]
      }
      case 'tool_call': {
        if (!isMain) return []
        this.#turns.said()
        const words = this.#takeWords()
        this.#isRefusal = false
        return [...words, { kind: 'tool', text: callWords(update) }, ...this.#checkBound()]
      }
      case 'tool_call_update': {
        const isOver = update.status === 'completed' || update.status === 'failed'
        if (!isMain || !isOver) return []
        this.#turns.answered()
        return [
          { kind: 'state', state: 'running' },
          { kind: 'tool_result', text: answerWords(update) },
        ]
      }
      default:
        return []
    }
  }

  /** What the CLI says itself, in one piece: before the model is asked warnings, then notes. `null` = these are the model's words. */
  #ownWords(piece: string): RunEvent[] | null {
    if (!this.#isAsked && !piece.startsWith('Error: ')) return textEvent(piece)
    const [, retried] = /^Info: (.{1,200}?)\.? Retrying\.\.\.$/.exec(piece) ?? []
    if (retried !== undefined) return [{ kind: 'retrying', attempt: 1, reason: retried, delayMs: 0 }]
    if (/^Info: .{1,100}context limit\. Compacting history/.test(piece)) return textEvent(piece)
    return piece === 'Info: Operation cancelled by user' ? [] : null
  }

  /** Ends the turn when the model was asked more often than the task allows. */
  #checkBound(): RunEvent[] {
    if (this.#bound !== null || !this.#turns.isOver) return []
    this.#bound = 'error_max_turns'
    this.#queue.length = 0
    return [reply(this.#cancel())]
  }

  /** The words since the last call, which come in pieces. */
  #sayWords(): RunEvent[] {
    const text = this.#words.slice(this.#logged)
    this.#logged = this.#words.length
    return textEvent(text)
  }

  /** The same, and begins anew. */
  #takeWords(): RunEvent[] {
    const words = this.#sayWords()
    this.#words = ''
    this.#logged = 0
    return words
  }

  #deliver(): RunEvent[] {
    const uuid = this.#undelivered
    this.#undelivered = null
    return uuid === null ? [] : [{ kind: 'delivered', uuid }]
  }

  #cancel(): string {
    return acpLine({ method: 'session/cancel', params: { sessionId: this.#session } })
  }
}

/** Errors that the CLI tells after a part of an answer, too. */
const BROKEN_OFF = /^Error: (?:Failed to get response from|Could not connect to|Authentication failed with)/

/** Whether a piece are words of the CLI's own about a model that did not answer. @param isAnswered  the model said something before */
const isRefusal = (piece: string, isAnswered: boolean): boolean =>
  piece.startsWith('Error: ') && (!isAnswered || BROKEN_OFF.test(piece))

function textEvent(text: string): RunEvent[] {
  const words = clip(text, LOG_WORDS_LIMIT).trim()
  return words === '' ? [] : [{ kind: 'text', text: words }]
}

const reply = (text: string): RunEvent => ({ kind: 'reply', text })
