import { readFileSync } from 'node:fs'
import { AppError } from '../../../domain/errors'
import type { RunEvent, RunLaunch, RunTalk } from '../../../domain/harness/harness-run'
import type { RunBound } from '../../../domain/harness/run-bounds'
import { idOf, isRecord, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { Approvals } from './approvals'
import { Background } from './background'
import { cutAtLastTurn, threadIn } from './cut'
import { beginWords, endWords } from './log-words'
import { boundsOf, type CodexBounds } from './modes'
import { errorKind } from './outcome'
import { checkedId } from './place'
import { restoreMissing } from './restore'
import { trustedHooks } from './run-hooks'
import { Spending } from './spending'
import { threadSettings } from './thread-settings'

/** So long a turn may wait for the network, in milliseconds. */
const LONGEST_AWAY_MS = 300_000

/** A text of ours on its way into the conversation. */
interface Said {
  text: string
  uuid: string
}

type Answer = (result: JsonRecord | undefined, error: JsonRecord | undefined) => RunEvent[]

/**
 * The exchange with one `codex app-server`: JSON-RPC in lines, without its version field. It opens the thread, puts texts into it as turns
 * or into the turn that is under way, and answers what the CLI asks.
 */
export class CodexTalk implements RunTalk {
  readonly #launch: RunLaunch
  readonly #bounds: CodexBounds
  readonly #approvals: Approvals
  readonly #background = new Background()
  readonly #spending: Spending
  readonly #answers = new Map<number, Answer>()
  /** Texts that the CLI can't take yet. */
  #queue: Said[] = []
  #lastId = 0
  #thread: string | null = null
  /** The turn that is under way. */
  #turn: string | null = null
  /** A turn was asked for and has not begun. */
  #isStarting = false
  #words: string | null = null
  #error: { kind: string; message: string } | null = null
  #resetAt: string | null = null
  /** How often the CLI asked its model again. */
  #tries = 0
  /** Since when it waits for the network, in milliseconds. */
  #awaySince: number | null = null
  #version: string | null = null

  constructor(launch: RunLaunch) {
    this.#launch = launch
    this.#bounds = boundsOf(launch.permissionMode, launch.isBoxed)
    this.#approvals = new Approvals(launch, this.#bounds)
    this.#spending = new Spending(launch)
  }

  opening(): string {
    const clientInfo = { name: 'lodeline', title: 'Lodeline', version: '1' }
    return [
      this.#ask('initialize', { clientInfo, capabilities: { experimentalApi: true } }, (result, error) => {
        this.#version = /\/(\d+\.\d+\.\d+)/.exec(textOf(result?.userAgent) ?? '')?.[1] ?? null
        return error === undefined ? [] : this.#refused(error)
      }),
      line({ method: 'initialized' }),
      this.#ask('hooks/list', { cwds: [this.#launch.cwd] }, (listed) =>
        this.#error === null ? this.#open(listed) : [],
      ),
    ].join('')
  }

  read(bytes: Uint8Array): RunEvent[] {
    const message = parsed(bytes)
    if (message === null) return []
    try {
      return [...this.#take(message), ...this.#background.take()]
    } catch {
      // A value of a kind that nobody writes: the bytes are kept elsewhere.
      return []
    }
  }

  say(text: string, uuid: string, urgency: 'now' | 'next'): string {
    const said = { text, uuid }
    if (this.#thread === null || this.#isStarting) {
      if (urgency === 'now') this.#queue.unshift(said)
      else this.#queue.push(said)
      return ''
    }
    return this.#turn === null ? this.#begin([said]) : this.#steer(said)
  }

  interrupt(): string {
    return this.#interruption()
  }

  permit(requestId: string, { behavior }: { behavior: 'allow' | 'deny' }): string {
    const answer = this.#approvals.answer(requestId, behavior === 'allow')
    return answer === null ? '' : line(answer)
  }

  /** Begins the thread, goes on in it, or in a copy of it. @param listed  the hooks that the CLI knows of */
  #open(listed: JsonRecord | undefined): RunEvent[] {
    try {
      return [{ kind: 'reply', text: this.#opening(listed) }]
    } catch (thrown) {
      // A mistake in the settings.
      this.#error = { kind: 'other', message: thrown instanceof AppError ? thrown.message : String(thrown) }
      return this.#rest('failed')
    }
  }

  #opening(listed: JsonRecord | undefined): string {
    const { conversation, cwd, model } = this.#launch
    const common = {
      cwd,
      ...(model === null ? {} : { model }),
      // With any other the CLI would note in the person's settings that it trusts the project. Each turn has its own.
      sandbox: 'read-only',
      approvalPolicy: this.#bounds.approval,
      approvalsReviewer: 'user',
      config: { ...threadSettings(this.#launch), ...trustedHooks(this.#launch, listed) },
    }
    const opened: Answer = (result, error) => this.#opened(result, error)
    if (conversation.kind === 'new') return this.#ask('thread/start', common, opened)
    if (conversation.kind === 'resume') {
      const goesOn = { ...common, threadId: checkedId(conversation.sessionId), excludeTurns: true }
      return this.#ask('thread/resume', goesOn, opened)
    }
    return this.#ask('thread/fork', { ...common, ...this.#forkPoint(conversation.path), excludeTurns: true }, opened)
  }

  /** The CLI copies a thread that it has, up to a turn: one that is not there any more is written back first. */
  #forkPoint(path: string): { threadId: string; lastTurnId: string } {
    const snapshot = readFileSync(path)
    const threadId = threadIn(snapshot)
    const lastTurnId = cutAtLastTurn(snapshot)?.lastUuid
    if (threadId === null || lastTurnId === undefined)
      throw new AppError('invalid', 'The snapshot holds no finished turn of a thread of Codex.')
    restoreMissing(this.#launch, threadId, snapshot)
    return { threadId, lastTurnId }
  }

  #opened(result: JsonRecord | undefined, error: JsonRecord | undefined): RunEvent[] {
    const thread = idOf(recordOf(result?.thread)?.id)
    if (thread === undefined) return this.#refused(error)
    const { kind, sessionId } = this.#launch.conversation
    this.#thread = thread
    const model = idOf(result?.model) ?? null
    this.#spending.model = model
    const cwd = textOf(result?.cwd) ?? null
    const init: RunEvent = { kind: 'init', sessionId: thread, cwd, model, version: this.#version }
    // In another thread than the one that was asked for nothing is said.
    if (kind === 'resume' && thread !== sessionId) return [init]
    return [init, ...this.#sayQueued()]
  }

  /** The CLI does not go on: the result tells so. */
  #refused(error: JsonRecord | undefined): RunEvent[] {
    const message = clip(textOf(error?.message) ?? 'the CLI did not say why', 2_000)
    const kind = this.#launch.conversation.kind === 'new' ? 'other' : 'resume_refused'
    this.#error = { kind, message }
    return this.#rest('failed')
  }

  #take(message: JsonRecord): RunEvent[] {
    const { id } = message
    const method = textOf(message.method)
    if (method === undefined) {
      const answer = typeof id === 'number' ? this.#answers.get(id) : undefined
      if (answer === undefined || typeof id !== 'number') return []
      this.#answers.delete(id)
      return answer(recordOf(message.result), recordOf(message.error))
    }
    const params = recordOf(message.params) ?? {}
    if (typeof id === 'number' || typeof id === 'string') return this.#requested(id, method, params)
    return this.#told(method, params)
  }

  /** The CLI asks for something. What nobody here can give is refused, so that it waits for nothing. */
  #requested(id: string | number, method: string, params: JsonRecord): RunEvent[] {
    const verdict = this.#approvals.read(id, method, params)
    if (verdict === null)
      return [reply({ id, error: { code: -32_601, message: 'Nobody is there who could answer this.' } })]
    if ('answer' in verdict) return [reply({ id, result: verdict.answer })]
    return [{ kind: 'state', state: 'requires_action' }, verdict.event]
  }

  #told(method: string, params: JsonRecord): RunEvent[] {
    const thread = idOf(params.threadId)
    const isMain = thread !== undefined && thread === this.#thread
    if (method === 'thread/tokenUsage/updated' && thread !== undefined) {
      const isOver = this.#spending.count(thread, params.tokenUsage, isMain)
      return isOver ? this.#stopFor(isOver) : []
    }
    if (method === 'item/started') this.#approvals.see(params)
    if (method === 'account/rateLimits/updated') this.#noteLimits(params)
    if (method === 'thread/status/changed' && thread !== undefined && !isMain && this.#thread !== null)
      this.#background.agent(thread, recordOf(params.status)?.type === 'active')
    return isMain ? this.#toldOfMain(method, params) : []
  }

  #toldOfMain(method: string, params: JsonRecord): RunEvent[] {
    const item = recordOf(params.item)
    switch (method) {
      case 'turn/started':
        this.#isStarting = false
        this.#turn = idOf(recordOf(params.turn)?.id) ?? null
        this.#words = null
        this.#error = null
        this.#tries = 0
        this.#awaySince = null
        return [{ kind: 'state', state: 'running' }, ...this.#steerQueued()]
      case 'item/started':
        this.#tries = 0
        this.#awaySince = null
        if (item === undefined) return []
        this.#background.command(item, true)
        this.#spending.see(item)
        return beginWords(item)
      case 'item/completed':
        if (item === undefined) return []
        this.#background.command(item, false)
        return this.#ended(item)
      case 'serverRequest/resolved':
        return this.#turn === null ? [] : [{ kind: 'state', state: 'running' }]
      case 'error':
        return this.#failed(params)
      case 'turn/completed':
        return this.#completed(recordOf(params.turn) ?? {})
      default:
        return []
    }
  }

  #ended(item: JsonRecord): RunEvent[] {
    if (item.type === 'userMessage') {
      const uuid = idOf(item.clientId)
      return uuid === undefined ? [] : [{ kind: 'delivered', uuid }]
    }
    if (item.type === 'contextCompaction') return [{ kind: 'compacted' }]
    if (item.type === 'agentMessage') this.#words = textOf(item.text) ?? this.#words
    return endWords(item)
  }

  #failed(params: JsonRecord): RunEvent[] {
    const error = recordOf(params.error)
    const message = clip(textOf(error?.message) ?? 'an error', 2_000)
    if (params.willRetry === true) return this.#retrying(message)
    this.#error ??= { kind: errorKind(error?.codexErrorInfo), message }
    return [{ kind: 'api_error', text: message }]
  }

  /** The CLI waits for the network without an end: what lasts longer than a short loss, the task waits for instead of the run. */
  #retrying(message: string): RunEvent[] {
    this.#tries++
    const told: RunEvent = { kind: 'retrying', attempt: this.#tries, reason: clip(message, 300), delayMs: 0 }
    if (!/waiting for network/i.test(message)) return [told]
    this.#awaySince ??= Date.now()
    if (Date.now() - this.#awaySince < LONGEST_AWAY_MS || this.#error !== null) return [told]
    return [told, ...this.#stopFor('http', 'It waited for the network for five minutes.')]
  }

  #completed(turn: JsonRecord): RunEvent[] {
    const error = recordOf(turn.error)
    if (error !== undefined)
      this.#error ??= {
        kind: errorKind(error.codexErrorInfo),
        message: clip(textOf(error.message) ?? 'an error', 2_000),
      }
    this.#turn = null
    const status = textOf(turn.status) ?? ''
    const left = status === 'interrupted' ? this.#background.cut() : []
    // A text that came too late for this turn begins the next.
    const next = this.#error === null ? this.#sayQueued() : []
    return [...left, ...(next.length > 0 ? next : this.#rest(status))]
  }

  /** Nothing is under way any more. */
  #rest(status: string): RunEvent[] {
    const isOk = status === 'completed' && this.#error === null
    const subtype = isOk ? 'success' : (this.#error?.kind ?? (status === 'interrupted' ? 'interrupted' : 'other'))
    const result: RunEvent = {
      kind: 'result',
      result: {
        subtype,
        isError: !isOk,
        text: isOk ? (this.#words ?? '') : null,
        errors: this.#error === null ? [] : [this.#error.message],
        ...this.#spending.figures(),
        terminalReason: subtype === 'usageLimitExceeded' ? this.#resetAt : null,
        sessionId: this.#thread,
      },
    }
    return [result, { kind: 'state', state: 'idle' }]
  }

  /** Ends the turn, for a bound of the task or because nothing comes of it. */
  #stopFor(kind: RunBound | 'http', message = 'A limit of the task was reached.'): RunEvent[] {
    this.#error ??= { kind, message }
    const text = this.#interruption()
    return text === '' ? [] : [{ kind: 'reply', text }]
  }

  /** When the account's limit ends: the latest end of what is used up. */
  #noteLimits(params: JsonRecord): void {
    const limits = recordOf(params.rateLimits)
    for (const window of [recordOf(limits?.primary), recordOf(limits?.secondary)]) {
      const { usedPercent, resetsAt } = window ?? {}
      if (typeof usedPercent !== 'number' || usedPercent < 100 || typeof resetsAt !== 'number') continue
      const at = new Date(resetsAt * 1_000)
      if (Number.isNaN(at.getTime())) continue
      if (this.#resetAt === null || at.toISOString() > this.#resetAt) this.#resetAt = at.toISOString()
    }
  }

  #sayQueued(): RunEvent[] {
    const said = this.#queue
    this.#queue = []
    return said.length === 0 ? [] : [{ kind: 'reply', text: this.#begin(said) }]
  }

  #steerQueued(): RunEvent[] {
    const said = this.#queue
    this.#queue = []
    return said.map((each) => ({ kind: 'reply', text: this.#steer(each) }))
  }

  /** Begins a turn. Each text is a message of its own, so that each is reported as delivered: the others follow into the turn. */
  #begin([first, ...rest]: readonly Said[]): string {
    if (first === undefined) return ''
    this.#isStarting = true
    this.#queue = [...rest, ...this.#queue]
    const { text, uuid } = first
    const params = {
      threadId: this.#thread,
      input: [{ type: 'text', text }],
      clientUserMessageId: uuid,
      sandboxPolicy: this.#bounds.sandbox,
      approvalPolicy: this.#bounds.approval,
    }
    return this.#ask('turn/start', params, (_result, error) => {
      if (error === undefined) return []
      this.#isStarting = false
      this.#error = { kind: errorKind(recordOf(error.data)?.codexErrorInfo), message: messageOf(error) }
      return this.#rest('failed')
    })
  }

  #steer(said: Said): string {
    const { text, uuid } = said
    const params = {
      threadId: this.#thread,
      expectedTurnId: this.#turn,
      input: [{ type: 'text', text }],
      clientUserMessageId: uuid,
    }
    return this.#ask('turn/steer', params, (_result, error) => {
      if (error === undefined) return []
      // The turn ended meanwhile, or is of a kind that takes nothing: it waits for the next one.
      this.#queue.push(said)
      return this.#turn === null && !this.#isStarting ? this.#sayQueued() : []
    })
  }

  /** '' = no turn is under way. */
  #interruption(): string {
    if (this.#thread === null || this.#turn === null) return ''
    return this.#ask('turn/interrupt', { threadId: this.#thread, turnId: this.#turn }, () => [])
  }

  #ask(method: string, params: object, answer: Answer): string {
    const id = ++this.#lastId
    this.#answers.set(id, answer)
    return line({ id, method, params })
  }
}

const line = (message: object): string => `${JSON.stringify(message)}\n`
const reply = (message: object): RunEvent => ({ kind: 'reply', text: line(message) })
const messageOf = (error: JsonRecord): string => clip(textOf(error.message) ?? 'an error', 2_000)

function parsed(bytes: Uint8Array): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
