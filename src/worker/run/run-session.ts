import type { HarnessRun, PermissionAnswer, RunEvent, RunResult, RunTalk } from '../../domain/harness/harness-run'
import type { SessionId } from '../../domain/ids'
import { within } from '../link/backoff'
import { LineSplitter } from '../output/line-splitter'
import type { Spool } from '../output/spool'
import { EndOfWork, type WorkState } from './end-of-work'
import type { GuardedEnd, GuardedProcess } from './guarded-process'
import type { PausedTime } from './paused-time'
import type { PermissionRequest } from './questions'

/** Why we ended a run that had not ended. The later ones count for more. */
export const STOPS = ['timeout', 'pause', 'mismatch', 'cancel', 'lost'] as const
export type Stop = (typeof STOPS)[number]

export interface SessionOptions {
  process: GuardedProcess
  harness: Pick<HarnessRun, 'input' | 'stopSignal'>
  talk: RunTalk
  /** The conversation that the CLI must say it is in; `null` = it names one itself. */
  sessionId: SessionId | null
  /** It has named one; called once, and only then. */
  onStarted(id: string): void
  spool: Spool
  /** More of the output is in the spool. */
  onOutput(): void
  /** A turn is over. */
  onTurn(): void
  /** The CLI is asked to end: its work is over, or it is halted. */
  onClosing(): void
  onPermission(request: PermissionRequest): void
  onDelivered(uuid: string): void
  log(kind: 'run' | 'text' | 'tool' | 'tool_result' | 'result' | 'stderr', text: string): void
  /** Gets every byte of the CLI's stderr. */
  keepError(bytes: Uint8Array): void
  backgroundGraceMs: number
  /** What of the time it stood still. */
  still: Pick<PausedTime, 'ms' | 'isNow'>
}

/** How a run ended, for `HarnessRun.outcome` and the report. */
export interface SessionEnd {
  exit: GuardedEnd
  result: RunResult | null
  /** The last 16 kB. */
  stderr: string
  apiErrors: string[]
  /** We ended it before its work was over. */
  stoppedBy: { stop: Stop; reason: string } | null
  /** The work was over and the process did not end by itself in time: how it ended then says nothing about the work. */
  isEndedAfterWork: boolean
}

/** How long the CLI may take to end by itself once its work is over and its input closed. */
const EXIT_MS = 10_000
const TERMINATE_MS = 3_000
/** After an interrupt the CLI writes down where it stands. */
const INTERRUPT_MS = 3_000
/** A message that was sent is waited for before the input is closed. */
const DELIVERY_MS = 5_000
const MAX_API_ERRORS = 50
/** Between two looks while a run stands still. */
const STILL_LOOK_MS = 100
const ERROR_TAIL = 16 * 1_024

/** A CLI at work: reads all that it says, tells when its work is over, and ends it in order. */
export class RunSession {
  readonly #options: SessionOptions
  readonly #work = new EndOfWork()
  readonly #apiErrors: string[] = []
  readonly #undelivered = new Set<string>()
  #result: RunResult | null = null
  #stderr = ''
  #stoppedBy: SessionEnd['stoppedBy'] = null
  /** Named by the CLI or for it. */
  #sessionId: string | null
  #isInputClosed = false
  #isEndedAfterWork = false
  #isEnding = false
  #exit: GuardedEnd | null = null
  #changed = Promise.withResolvers<void>()
  #killing: Promise<unknown> | null = null
  readonly ended: Promise<SessionEnd>

  constructor(options: SessionOptions) {
    this.#options = options
    this.#sessionId = options.sessionId
    this.ended = this.#run()
  }

  /** Hands a message to the CLI; false = it takes none any more. */
  async say(text: string, uuid: string, urgency: 'now' | 'next'): Promise<boolean> {
    if (this.#isInputClosed || this.#stoppedBy !== null || this.#exit !== null) return false
    this.#undelivered.add(uuid)
    const { harness, talk } = this.#options
    await this.#write(talk.say(text, uuid, urgency))
    if (harness.input === 'prompt') await this.#closeInput()
    return true
  }

  /** Answers a `permission` event. */
  async permit(requestId: string, answer: PermissionAnswer): Promise<void> {
    await this.#write(this.#options.talk.permit(requestId, answer))
  }

  /**
   * Ends the run before its work is over. `pause` and `timeout` let the CLI write down where it stands; the others kill it and all
   * that it started at once. A graver reason replaces one that is being carried out.
   */
  stop(stop: Stop, reason: string, withinMs = INTERRUPT_MS + 2 * TERMINATE_MS): void {
    const before = this.#stoppedBy
    if (before !== null && STOPS.indexOf(stop) <= STOPS.indexOf(before.stop)) {
      if (withinMs <= 0) void this.kill()
      return
    }
    if (this.#exit !== null && before === null) return
    const isGentle = stop === 'pause' || stop === 'timeout'
    // What is over is over, however it is ended.
    if (isGentle && this.#work.state === 'over') return
    if (isGentle && this.#work.state === 'shells') return void this.#endShells()
    this.#stoppedBy = { stop, reason }
    if (isGentle) void this.#stopGently(withinMs)
    else void this.kill()
  }

  /** Ends the whole tree at once. */
  async kill(): Promise<void> {
    this.#killing ??= this.#options.process.killTree()
    await this.#killing
  }

  async #run(): Promise<SessionEnd> {
    const { process } = this.#options
    const output = Promise.all([this.#readOutput(), this.#readErrors()])
    void this.#write(this.#options.talk.opening())
    void this.#endWhenOver()
    const exit = await process.ended
    this.#exit = exit
    this.#change()
    // What the tree wrote is in the pipes; nobody is left to keep them open.
    await within(output, TERMINATE_MS)
    return {
      exit,
      result: this.#result,
      stderr: this.#stderr,
      apiErrors: this.#apiErrors,
      stoppedBy: this.#stoppedBy,
      isEndedAfterWork: this.#isEndedAfterWork,
    }
  }

  async #readOutput(): Promise<void> {
    const { process, spool, onOutput } = this.#options
    const splitter = new LineSplitter()
    for await (const bytes of process.stdout) {
      if (this.#stoppedBy?.stop === 'lost') continue
      spool.append(bytes)
      onOutput()
      for (const line of splitter.push(bytes)) this.#take(line)
      await spool.room()
    }
    const rest = splitter.rest()
    if (rest !== null) this.#take(rest)
  }

  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder()
    const splitter = new LineSplitter(1 << 20)
    for await (const bytes of this.#options.process.stderr) {
      this.#options.keepError(bytes)
      this.#stderr = (this.#stderr + decoder.decode(bytes, { stream: true })).slice(-ERROR_TAIL)
      for (const line of splitter.push(bytes)) this.#options.log('stderr', new TextDecoder().decode(line))
    }
  }

  #take(line: Uint8Array): void {
    for (const event of this.#options.talk.read(line)) {
      this.#work.see(event)
      this.#handle(event)
    }
    this.#change()
  }

  #handle(event: RunEvent): void {
    const { log } = this.#options
    switch (event.kind) {
      case 'init':
        if (this.#sessionId === null) {
          this.#sessionId = event.sessionId
          this.#options.onStarted(event.sessionId)
        } else if (event.sessionId !== this.#sessionId)
          this.stop('mismatch', `the CLI runs in session ${event.sessionId} instead of ${this.#sessionId}`)
        break
      case 'result':
        this.#result = this.#isEndedAfterWork ? withFigures(this.#result, event.result) : event.result
        this.#options.onTurn()
        if (event.result.isError) this.#apiErrors.push(...errorTexts(event.result))
        log('result', resultWords(event.result))
        break
      case 'reply':
        void this.#write(event.text)
        break
      case 'permission':
        this.#options.onPermission(event)
        break
      case 'delivered':
        if (this.#undelivered.delete(event.uuid)) this.#options.onDelivered(event.uuid)
        break
      case 'retrying':
        this.#apiErrors.push(event.reason)
        if (this.#apiErrors.length > MAX_API_ERRORS) this.#apiErrors.shift()
        log('run', `the model does not respond (${event.reason}): try ${event.attempt} in ${seconds(event.delayMs)}`)
        break
      case 'compacted':
        log('run', 'the conversation was compacted')
        break
      case 'text':
      case 'tool':
      case 'tool_result':
        log(event.kind, event.text)
        break
      default:
    }
  }

  /** Something happened that an end may have waited for. */
  #change(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  /** Resolves with whether `condition` came true in time; looks at it whenever something happened. */
  async #until(condition: () => boolean, ms: number): Promise<boolean> {
    const { still } = this.#options
    // A CLI that was stopped could do nothing: that time is not counted.
    const deadline = performance.now() + ms - still.ms
    while (!condition()) {
      if (this.#exit !== null) return condition()
      const left = deadline + still.ms - performance.now()
      if (left <= 0) return false
      await within(this.#changed.promise, Math.max(left, still.isNow ? STILL_LOOK_MS : 0))
    }
    return true
  }

  /** The natural end: idle with nothing left, or only shells that had their grace. */
  async #endWhenOver(): Promise<void> {
    const { log, backgroundGraceMs } = this.#options
    const isGone = () => this.#exit !== null || this.#stoppedBy !== null || this.#isEndedAfterWork
    const isState = (state: WorkState) => !isGone() && this.#work.state === state
    while (!isGone()) {
      await this.#until(() => isGone() || isState('over') || isState('shells'), FOREVER_MS)
      if (isGone()) return
      if (this.#work.state === 'shells') {
        const shells = count(this.#work.shells, 'background shell')
        log('run', `the work is done; waiting ${seconds(backgroundGraceMs)} for ${shells}`)
        if (await this.#until(() => !isState('shells'), backgroundGraceMs)) continue
        return this.#endShells()
      }
      // A message that is on its way begins another turn; so may a notice of background work, also after the input is closed.
      await this.#until(() => !isState('over') || this.#undelivered.size === 0, DELIVERY_MS)
      if (!isState('over')) continue
      await this.#closeInput()
      if (await this.#until(() => !isState('over'), EXIT_MS)) continue
      log('run', 'the CLI did not exit by itself')
      return this.#terminate()
    }
  }

  async #endShells(): Promise<void> {
    if (this.#isEndedAfterWork) return
    this.#options.log('run', `ended ${count(this.#work.shells, 'background shell')}: killed`)
    await this.#terminate()
  }

  async #stopGently(withinMs: number): Promise<void> {
    if (this.#isEnding) return
    this.#isEnding = true
    const deadline = performance.now() + withinMs
    // It can't write down where it stands, and what it wrote is there.
    if (this.#options.still.isNow) {
      await this.kill()
      return
    }
    const left = (most: number) => Math.max(0, Math.min(most, deadline - performance.now()))
    const { harness, talk } = this.#options
    const line = talk.interrupt(crypto.randomUUID())
    if (line !== null && !this.#work.isIdle && !this.#isInputClosed && left(1) > 0) {
      await this.#write(line)
      await this.#until(() => this.#work.isIdle, left(INTERRUPT_MS))
    }
    await this.#closeInput()
    // Without a word for it the signal is what interrupts it.
    if (line !== null && (await this.#until(() => this.#exit !== null, left(TERMINATE_MS / 3)))) return
    this.#options.process.terminate(harness.stopSignal)
    if (await this.#until(() => this.#exit !== null, left(TERMINATE_MS))) return
    await this.kill()
  }

  /** Ends a process whose work is done. */
  async #terminate(): Promise<void> {
    this.#isEndedAfterWork = true
    await this.#closeInput()
    this.#options.process.terminate(this.#options.harness.stopSignal)
    if (!(await this.#until(() => this.#exit !== null, TERMINATE_MS))) await this.kill()
  }

  async #closeInput(): Promise<void> {
    if (this.#isInputClosed) return
    this.#isInputClosed = true
    const closed = this.#options.process.stdin.end()
    this.#options.onClosing()
    await within(closed, 1_000)
  }

  async #write(line: string): Promise<void> {
    if (line === '' || this.#isInputClosed || this.#exit !== null) return
    // A CLI that reads nothing must not hold up those who speak to it.
    await within(this.#options.process.stdin.write(line), 5_000)
  }
}

/** Longer than any timer of a task; timers hold no more. */
const FOREVER_MS = 2 ** 31 - 1

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`
const count = (list: readonly string[], noun: string) => `${list.length} ${noun}${list.length === 1 ? '' : 's'}`

/** A notice of what we ended may begin one more turn: it costs, but what it says is not the work's result. */
function withFigures(result: RunResult | null, last: RunResult): RunResult {
  const { numTurns, costUsd, usage } = last
  return result === null ? last : { ...result, numTurns, costUsd, usage }
}

function resultWords(result: RunResult): string {
  const text = result.text ?? result.errors.join('; ')
  return text === '' ? result.subtype : text
}

function errorTexts(result: RunResult): string[] {
  return [...(result.text === null ? [] : [result.text]), ...result.errors].filter((text) => text !== '').slice(0, 20)
}
