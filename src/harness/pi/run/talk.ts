import type { PermissionAnswer, RunEvent, RunLaunch, RunTalk } from '../../../domain/harness/harness-run'
import { type RunBounds, reachedBound } from '../../../domain/harness/run-bounds'
import { messageId } from '../../../domain/ids'
import { messageMarker } from '../../../domain/message/message'
import type { JsonRecord } from '../../json-lines/json-value'
import { countOf, idOf, isRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { LOG_WORDS_LIMIT, oneLine } from '../../json-lines/log-line'
import { clip, TextBudget } from '../../json-lines/text'
import { gate } from '../../tool-gate/gate'
import { FIRST_REQUEST } from '../classify'
import { READY, TOOL_QUESTION } from '../extension/of-run'
import { partsOf, wordsOf } from '../parts'
import { addCallWords } from '../tools'
import { gateCall } from './gate'
import { Tally } from './tally'

/** Texts that are waited for; a run is sent a few. */
const PENDING_LIMIT = 1_000

type Bounds = Pick<RunLaunch, 'denied' | 'permissionMode' | 'cwd' | 'userHome'> & RunBounds

/** The exchange with a process of the CLI in its RPC mode: a JSON object a line, both ways. */
export class PiTalk implements RunTalk {
  readonly #bounds: Bounds
  readonly #tally = new Tally()
  readonly #pending: { uuid: string; text: string }[] = []
  /** Questions of our extension that are open, by their id. */
  readonly #asked = new Map<string, unknown>()
  #sessionId: string | null = null
  #isPrompted = false
  /** Our extension is there: without it no tool call would be asked about. */
  #isGuarded = false
  /** Texts for a CLI that has not said yet who it is; `null` = it has. */
  #held: string[] | null = []

  constructor(launch: Bounds) {
    this.#bounds = launch
  }

  /** The answer names the session. */
  opening(): string {
    return line({ id: FIRST_REQUEST, type: 'get_state' })
  }

  read(bytes: Uint8Array): RunEvent[] {
    const into: RunEvent[] = []
    try {
      const record: unknown = JSON.parse(new TextDecoder().decode(bytes))
      if (isRecord(record)) this.#read(into, record)
    } catch {
      // No line of the protocol: the bytes are kept elsewhere.
    }
    return into
  }

  /**
   * A text that begins with a slash would be a command of the CLI, of a skill or an extension. The CLI's file names no id of ours: a
   * message, which is all that follows the prompt, has its marker in its words, so that its line tells that it arrived.
   */
  say(text: string, uuid: string): string {
    const plain = text.startsWith('/') ? ` ${text}` : text
    const marker = messageMarker(messageId(uuid))
    const message = this.#isPrompted && !plain.includes(marker) ? `${plain}\n\n${marker}` : plain
    this.#isPrompted = true
    if (this.#pending.length < PENDING_LIMIT) this.#pending.push({ uuid, text: message })
    const prompt = line({ id: uuid, type: 'prompt', message, streamingBehavior: 'steer' })
    if (this.#held === null) return this.#isGuarded ? prompt : ''
    this.#held.push(prompt)
    return ''
  }

  /** What waits in its queue would begin another turn. */
  interrupt(requestId: string): string {
    return line({ id: `${requestId}-queue`, type: 'clear_queue' }) + line({ id: requestId, type: 'abort' })
  }

  permit(requestId: string, { behavior, message }: PermissionAnswer): string {
    this.#asked.delete(requestId)
    return answerLine(requestId, behavior, message)
  }

  #read(into: RunEvent[], record: JsonRecord): void {
    switch (record.type) {
      case 'response':
        this.#readResponse(into, record)
        break
      case 'agent_start':
        into.push({ kind: 'state', state: 'running' })
        break
      case 'agent_settled':
        this.#settle(into)
        break
      case 'message_end':
        this.#readMessage(into, recordOf(record.message) ?? {})
        break
      case 'tool_execution_start':
        into.push({ kind: 'tool', text: callLine(record) })
        break
      case 'tool_execution_end':
        into.push({ kind: 'tool_result', text: resultLine(record) })
        break
      case 'auto_retry_start':
        into.push(retryOf(record))
        break
      case 'compaction_end':
        if (isRecord(record.result)) into.push({ kind: 'compacted' })
        break
      case 'extension_ui_request':
        this.#readQuestion(into, record)
        break
      default:
    }
  }

  #readResponse(into: RunEvent[], record: JsonRecord): void {
    const data = recordOf(record.data)
    const sessionId = idOf(data?.sessionId)
    if (record.id === FIRST_REQUEST && sessionId !== undefined) {
      this.#sessionId = sessionId
      const model = idOf(recordOf(data?.model)?.id) ?? null
      into.push({ kind: 'init', sessionId, cwd: null, model, version: null })
      this.#begin(into)
    }
    if (record.success !== false || record.command !== 'prompt') return
    // It was not taken: no key for the model, or no model at all. Nothing will come of it.
    const at = this.#pending.findIndex(({ uuid }) => uuid === record.id)
    if (at !== -1) this.#pending.splice(at, 1)
    this.#tally.fail(clip(textOf(record.error) ?? 'The prompt was refused.', LOG_WORDS_LIMIT))
    this.#settle(into)
  }

  /** What waited goes in, if every tool call will be asked about. */
  #begin(into: RunEvent[]): void {
    const held = (this.#held ?? []).join('')
    this.#held = null
    if (this.#isGuarded) {
      if (held !== '') into.push({ kind: 'reply', text: held })
      return
    }
    this.#tally.fail('Pi did not load the extension of Lodeline, without which nobody would be asked about tool calls.')
    this.#settle(into)
  }

  #settle(into: RunEvent[]): void {
    into.push({ kind: 'result', result: this.#tally.result(this.#sessionId) }, { kind: 'state', state: 'idle' })
  }

  #readMessage(into: RunEvent[], message: JsonRecord): void {
    if (message.role === 'user') this.#deliver(into, wordsOf(message.content))
    if (message.role !== 'assistant') return
    this.#tally.add(message)
    const words = partsOf(message.content).flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    const text = clip(words.join('\n'), LOG_WORDS_LIMIT).trim()
    if (text !== '') into.push({ kind: 'text', text })
    const error = this.#tally.error
    if (error !== null) into.push({ kind: 'api_error', text: error })
    this.#bound(into)
  }

  /** The CLI has no bounds of its own: at ours the turn is ended, before the tools of its last answer. */
  #bound(into: RunEvent[]): void {
    if (!this.#tally.goesOn || this.#tally.bound !== null) return
    this.#tally.bound = reachedBound(this.#bounds, this.#tally)
    if (this.#tally.bound !== null) into.push({ kind: 'reply', text: this.interrupt('lodeline-bound') })
  }

  #deliver(into: RunEvent[], text: string): void {
    const at = this.#pending.findIndex((one) => one.text.trim() === text.trim())
    const [found] = at === -1 ? [] : this.#pending.splice(at, 1)
    if (found !== undefined) into.push({ kind: 'delivered', uuid: found.uuid })
  }

  /** Our extension asks about a tool call; what other extensions ask, nobody is there to answer. */
  #readQuestion(into: RunEvent[], record: JsonRecord): void {
    if (record.method === 'notify' && record.message === READY) this.#isGuarded = true
    const id = idOf(record.id)
    if (id === undefined || !DIALOGS.has(record.method)) return
    const call = record.title === TOOL_QUESTION ? questionIn(record.placeholder) : undefined
    if (call === undefined) {
      into.push({ kind: 'reply', text: line({ type: 'extension_ui_response', id, cancelled: true }) })
      return
    }
    const { toolName, input } = gateCall(call.name, call.input)
    const verdict = this.#tally.bound === null ? gate(this.#bounds, { toolName, input }) : BOUND_REACHED
    if (verdict.behavior === 'ask') {
      this.#asked.set(id, input)
      const { toolUseId } = call
      into.push({ kind: 'permission', requestId: id, toolUseId, toolName, input, description: null })
      return
    }
    const message = verdict.behavior === 'deny' ? `It is not allowed here (${verdict.rule}).` : null
    into.push({ kind: 'reply', text: answerLine(id, verdict.behavior, message) })
  }
}

/** Methods that wait for an answer. */
const DIALOGS: ReadonlySet<unknown> = new Set(['select', 'confirm', 'input', 'editor'])
const BOUND_REACHED = { behavior: 'deny', rule: "the task's limit" } as const

const line = (value: object): string => `${JSON.stringify(value)}\n`

const answerLine = (id: string, behavior: 'allow' | 'deny', message: string | null): string =>
  line({ type: 'extension_ui_response', id, value: JSON.stringify({ behavior, message }) })

function questionIn(text: unknown): { toolUseId: string | null; name: string; input: unknown } | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const read: unknown = JSON.parse(text)
    const name = isRecord(read) ? idOf(read.name) : undefined
    return isRecord(read) && name !== undefined
      ? { toolUseId: idOf(read.toolCallId) ?? null, name: clip(name, 200), input: read.input }
      : undefined
  } catch {
    return undefined
  }
}

function retryOf(record: JsonRecord): RunEvent {
  return {
    kind: 'retrying',
    attempt: Math.max(1, Math.min(countOf(record.attempt), 1e6)),
    reason: clip(textOf(record.errorMessage) ?? 'no reason given', 500),
    delayMs: Math.min(countOf(record.delayMs), 1e9),
  }
}

function callLine({ toolName, args }: JsonRecord): string {
  const budget = new TextBudget(LOG_WORDS_LIMIT)
  addCallWords(budget, { toolUseId: undefined, name: idOf(toolName) ?? 'tool', input: args })
  return oneLine((budget.take() ?? 'tool').replace('\n', ': '))
}

function resultLine({ toolName, result, isError }: JsonRecord): string {
  const content = isRecord(result) ? listOf(result.content) : []
  const words = wordsOf(content).slice(0, LOG_WORDS_LIMIT).trim()
  return oneLine(`${idOf(toolName) ?? 'tool'}${isError === true ? ' failed' : ''}${words === '' ? '' : `: ${words}`}`)
}
