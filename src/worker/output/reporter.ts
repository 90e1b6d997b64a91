import { isAppError } from '../../domain/errors'
import type { QuestionId } from '../../domain/ids'
import type { TaskLogKind } from '../../domain/task/task'
import type { AttemptEnd, AttemptReport } from '../../domain/task/worker-protocol'
import { Backoff, pause } from '../link/backoff'
import { isPassing } from './spool-uploader'

export interface ReporterOptions {
  send(report: AttemptReport): Promise<unknown>
  /** The attempt is another's, or over (`lease_lost`), or the server can't make sense of us: no further report. */
  onRefused(error: unknown): void
  now(): number
}

type LogLine = NonNullable<AttemptReport['log']>[number]

/** How long log lines wait for more before they are sent. */
const GATHER_MS = 150
/** Lines kept while the server is away; the run's output itself is in the spool. */
const MAX_LINES = 5_000
const LINES_A_REPORT = 500
/** Reports in a row that the server broke on. */
const MAX_BROKEN = 10
const MAX_CHARACTERS = 4_000

/**
 * Tells the server about one attempt: parts in the order in which they came, one report at a time, again and again while the server is
 * away. What is urgent goes at once, log lines a moment later with others.
 */
export class Reporter {
  readonly #options: ReporterOptions
  readonly #backoff = new Backoff()
  readonly #stopped = new AbortController()
  #lines: LogLine[] = []
  #linesDropped = 0
  #taken: NonNullable<AttemptReport['taken']> = []
  #inputs: { uuid: string; status: 'sent' | 'delivered' }[] = []
  #waiting: { part: AttemptReport; told: () => void; failed: (error: unknown) => void }[] = []
  #running: Promise<void> | null = null
  #urgent = new AbortController()
  #isOver = false

  constructor(options: ReporterOptions) {
    this.#options = options
  }

  log(kind: Exclude<TaskLogKind, 'move'>, text: string): void {
    if (this.#isOver || text.trim() === '') return
    if (this.#lines.length >= MAX_LINES) {
      this.#lines.shift()
      this.#linesDropped++
    }
    this.#lines.push({ at: new Date(this.#options.now()).toISOString(), kind, text: cut(text) })
    this.#wake()
  }

  taken(questionId: QuestionId, answer?: { behavior: 'allow' | 'deny'; rule: string }): void {
    this.#taken.push({ questionId, ...answer })
    this.#wakeNow()
  }

  input(uuid: string, status: 'sent' | 'delivered'): void {
    this.#inputs.push({ uuid, status })
    this.#wakeNow()
  }

  /**
   * Tells it, with all that came before. Resolves when the server has it durably.
   * @throws `lease_lost` and other refusals
   */
  report(part: Pick<AttemptReport, 'conversation' | 'process'>): Promise<void> {
    return this.#queue(part)
  }

  /** What waits is sent now. */
  flush(): void {
    if (this.#hasMore()) this.#wakeNow()
  }

  /** The last word. @throws as `tell` */
  async end(ended: AttemptEnd): Promise<void> {
    await this.#queue({ ended })
    this.#isOver = true
  }

  /** What could not be reported yet, as one report; nothing is sent any more. */
  async stop(): Promise<AttemptReport | null> {
    this.#isOver = true
    this.#stopped.abort()
    await this.#running
    const ended = this.#waiting.find(({ part }) => part.ended !== undefined)?.part.ended
    const rest = this.#collect()
    for (const { failed } of this.#waiting.splice(0)) failed(new Error('stopped'))
    return ended === undefined ? null : { ...rest, ended }
  }

  #queue(part: AttemptReport): Promise<void> {
    if (this.#stopped.signal.aborted) return Promise.reject(new Error('stopped'))
    return new Promise((told, failed) => {
      this.#waiting.push({ part, told, failed })
      this.#wakeNow()
    })
  }

  #wakeNow(): void {
    this.#urgent.abort()
    this.#wake()
  }

  #wake(): void {
    if (this.#stopped.signal.aborted) return
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      if (this.#hasMore()) this.#wake()
    })
  }

  #hasMore(): boolean {
    return (
      !this.#stopped.signal.aborted &&
      this.#lines.length + this.#taken.length + this.#inputs.length + this.#waiting.length > 0
    )
  }

  async #run(): Promise<void> {
    await pause(GATHER_MS, AbortSignal.any([this.#urgent.signal, this.#stopped.signal]))
    this.#urgent = new AbortController()
    if (!this.#hasMore()) return
    // In order: what is awaited goes with the last of the lines that came before it.
    const waiting = this.#waiting.slice(0, this.#lines.length > LINES_A_REPORT ? 0 : 1)
    const report = { ...this.#collect(), ...waiting[0]?.part }
    try {
      await this.#sendAgain(report)
      this.#waiting.splice(0, waiting.length)
      for (const { told } of waiting) told()
      // What is next has waited long enough.
      if (this.#waiting.length > 0) this.#urgent.abort()
    } catch (error) {
      if (this.#stopped.signal.aborted) return this.#putBack(report)
      this.#refuse(error)
    }
  }

  /** Takes what waits beside the parts that somebody awaits. */
  #collect(): AttemptReport {
    const lines = this.#lines.splice(0, LINES_A_REPORT)
    if (this.#linesDropped > 0) {
      const at = lines[0]?.at ?? new Date(this.#options.now()).toISOString()
      lines.unshift({ at, kind: 'run', text: `${this.#linesDropped} lines were dropped while the server was away` })
      this.#linesDropped = 0
    }
    const taken = this.#taken.splice(0)
    const inputs = this.#inputs.splice(0)
    return {
      ...(lines.length > 0 && { log: lines }),
      ...(taken.length > 0 && { taken }),
      ...(inputs.length > 0 && { inputs }),
    }
  }

  #putBack(report: AttemptReport): void {
    this.#lines.unshift(...(report.log ?? []))
    this.#taken.unshift(...(report.taken ?? []))
    this.#inputs.unshift(...(report.inputs ?? []))
  }

  async #sendAgain(report: AttemptReport): Promise<void> {
    let { log, ...rest } = report
    for (let broken = 0; ; ) {
      try {
        await this.#options.send(log === undefined ? rest : { ...rest, log })
        return this.#backoff.reset()
      } catch (error) {
        if (this.#stopped.signal.aborted) throw error
        const isBroken = isAppError(error) && (error.code === 'internal' || error.code === 'invalid')
        if (isBroken && ++broken > MAX_BROKEN) throw error
        // Lines that the server chokes on must not keep it from hearing how the attempt ended.
        if (isBroken && broken >= MAX_BROKEN / 2) log = undefined
        if (!isBroken && !isPassing(error)) throw error
        await pause(this.#backoff.next(), this.#stopped.signal)
        if (this.#stopped.signal.aborted) throw error
      }
    }
  }

  #refuse(error: unknown): void {
    for (const { failed } of this.#waiting.splice(0)) failed(error)
    this.#isOver = true
    this.#stopped.abort()
    this.#lines = []
    this.#options.onRefused(error)
  }
}

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`
}
