import type { PermissionAnswer } from '../../domain/harness/harness-run'
import { type QuestionId, type ToolUseId, toolUseId } from '../../domain/ids'
import type { Verdict } from '../../domain/policy/tool-rules'
import type { Question } from '../../domain/task/task'
import { Backoff, pause } from '../link/backoff'
import { isPassing } from '../output/spool-uploader'

export interface PermissionRequest {
  requestId: string
  toolUseId: string | null
  toolName: string
  input: unknown
  description: string | null
}

export interface QuestionsOptions {
  /** Read at each question: they may follow their file. */
  settings: { questionMs: number; questionDefault: 'allow' | 'deny' }
  /** By the rules of now. */
  judge(toolName: string, input: unknown): Verdict
  ask(question: {
    toolUseId: ToolUseId | null
    toolName: string
    input: unknown
    description: string | null
    default: 'allow' | 'deny'
    deadlineMs: number
  }): Promise<{ question: Question }>
  /** Hands the answer to the CLI. */
  answer(requestId: string, answer: PermissionAnswer): void
  /** The server may forget it: the CLI has it. `answer`: by the worker's rules, which have changed since it was asked. */
  taken(id: QuestionId, answer?: { behavior: 'allow' | 'deny'; rule: string }): void
  log(text: string): void
}

/** How long the server's answer is waited for after the deadline, before we give one ourselves. */
const SERVER_GRACE_MS = 5_000

/** A run's questions whether it may call a tool: answered by the rules, else by a person or lead at the server, else by the default. */
export class Questions {
  readonly #options: QuestionsOptions
  readonly #ended = new AbortController()
  readonly #open = new Map<QuestionId, PermissionRequest>()
  readonly #answered = new Set<string>()

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** Answers at once, or asks; resolves when the CLI has an answer, or the run ended. */
  async take(request: PermissionRequest): Promise<void> {
    const { log } = this.#options
    const verdict = this.#options.judge(request.toolName, request.input)
    if (verdict.behavior === 'allow') return this.#answer(request, 'allow', null)
    if (verdict.behavior === 'deny') {
      log(`refused ${request.toolName} by the rule ${verdict.rule}`)
      return this.#answer(request, 'deny', `This worker's rules do not allow it (${verdict.rule}).`)
    }
    await this.#ask(request)
  }

  /** An answer came. Given again, it changes nothing. */
  settle(id: QuestionId, behavior: 'allow' | 'deny', message: string | null): void {
    const request = this.#open.get(id)
    if (request !== undefined) {
      this.#open.delete(id)
      this.#answer(request, behavior, message ?? (behavior === 'deny' ? 'It was not allowed.' : null))
    }
    // Also when it is of no use any more: the server would say it again and again.
    this.#options.taken(id)
  }

  /** The rules are others now: what is open and needs nobody any more is answered by them. */
  judgeAnew(): void {
    for (const [id, request] of [...this.#open]) {
      const verdict = this.#options.judge(request.toolName, request.input)
      if (verdict.behavior === 'ask') continue
      const { behavior, rule } = verdict
      this.#open.delete(id)
      this.#options.log(`${behavior === 'allow' ? 'allowed' : 'refused'} ${request.toolName} by the new rule ${rule}`)
      this.#answer(request, behavior, behavior === 'deny' ? `This worker's rules do not allow it (${rule}).` : null)
      this.#options.taken(id, { behavior, rule })
    }
  }

  /** The run is over: nothing more is asked or answered. */
  end(): void {
    this.#ended.abort()
    this.#open.clear()
  }

  async #ask(request: PermissionRequest): Promise<void> {
    const { log } = this.#options
    const { questionMs: deadlineMs, questionDefault } = this.#options.settings
    const { signal } = this.#ended
    const until = performance.now() + deadlineMs
    const id = await this.#askAgain(request, until, deadlineMs, questionDefault)
    if (signal.aborted) return
    if (id !== null) {
      const seconds = Math.round(deadlineMs / 1_000)
      log(`asked whether ${request.toolName} may run (${id}): ${questionDefault} unless answered in ${seconds} s`)
      this.#open.set(id, request)
      // The rules may have changed while it was asked.
      this.judgeAnew()
      await pause(Math.max(0, until - performance.now()) + SERVER_GRACE_MS, signal)
    }
    if (signal.aborted || this.#answered.has(request.requestId)) return
    if (id !== null) this.#open.delete(id)
    log(`nobody answered whether ${request.toolName} may run: ${questionDefault}`)
    this.#answer(request, questionDefault, questionDefault === 'deny' ? 'Nobody answered in time.' : null)
  }

  /** `null` = the server was away all the time, or does not take the question. */
  async #askAgain(
    request: PermissionRequest,
    until: number,
    deadlineMs: number,
    otherwise: 'allow' | 'deny',
  ): Promise<QuestionId | null> {
    const { ask, log } = this.#options
    const backoff = new Backoff()
    while (!this.#ended.signal.aborted && performance.now() < until) {
      try {
        const { toolName, input, description } = request
        const asked = {
          toolUseId: request.toolUseId === null ? null : toolUseId(request.toolUseId),
          toolName,
          input,
          description,
          default: otherwise,
          deadlineMs: Math.max(1, Math.round(Math.min(deadlineMs, until - performance.now()))),
        }
        return (await ask(asked)).question.id
      } catch (error) {
        if (!isPassing(error)) {
          log(`the server did not accept the question whether ${request.toolName} may run: ${(error as Error).message}`)
          return null
        }
        await pause(backoff.next(), this.#ended.signal)
      }
    }
    return null
  }

  #answer({ requestId, input }: PermissionRequest, behavior: 'allow' | 'deny', message: string | null): void {
    if (this.#ended.signal.aborted || this.#answered.has(requestId)) return
    this.#answered.add(requestId)
    this.#options.answer(requestId, { behavior, message, input })
  }
}
