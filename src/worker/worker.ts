import type { AgentName, AttemptId, TaskId } from '../domain/ids'
import type { Assignment, PollAnswer } from '../domain/task/worker-protocol'
import { HOUR_MS } from '../domain/time-units'
import { bootMs } from '../util/process/boot-clock'
import { within } from './link/backoff'
import { type IdentityLock, lockIdentity } from './link/identity-lock'
import { PollLoop } from './link/poll-loop'
import { ServerLink } from './link/server-link'
import { ServerProof } from './link/server-proof'
import { DiskRoom } from './machine/disk-room'
import { Machine } from './machine/machine'
import type { RunningWorker, WorkerOptions } from './options'
import { failedStart } from './run/attempt-end'
import { epochsDiffer } from './run/attempt-folder'
import { AttemptRun } from './run/attempt-run'
import { InstalledClis } from './run/cli/installed-clis'
import { Guards } from './run/guards'
import { deliver, endProcesses, findLeftovers, hasEnds, type Leftover, reportEnds } from './run/leftovers'
import type { RunContext } from './run/run-context'
import { Sandboxes } from './sandbox/sandbox'
import { pruneMirrors } from './workplace/prune-mirrors'

export type { RunningWorker, WorkerClient, WorkerOptions } from './options'

/** Between two looks at the time. */
const TICK_MS = 500
/** Between two looks for mirrors that nobody uses. */
const PRUNE_MS = 6 * HOUR_MS
/** So long the server may take to hear that an agent CLI is gone. */
const TOLD_MS = 5_000
/** A look that comes this much too late tells that the machine slept, or that this process stood still. */
const WOKEN_MS = 2_000
const DEFAULT_STOP_MS = 10_000

/**
 * Starts a worker: takes its name, ends what an earlier process of it left, joins, and takes tasks until it is stopped. Waits for a
 * server that is away.
 *
 * @throws `conflict`      another process of this machine works under the name
 * @throws `not_found`     the agent's CLI is not installed
 * @throws `invalid`       the CLI is too old
 * @throws `unauthorized`  the server refuses the token
 */
export async function startWorker(given: WorkerOptions): Promise<RunningWorker> {
  const options = { ...given, name: given.name ?? given.hostname }
  const signal = options.signal ?? new AbortController().signal
  const [clis, machine] = await Promise.all([InstalledClis.find(options), Machine.find(options)])
  // A worker for one task has it at once; others report what is found later.
  if (options.isAssignedOnly) await clis.all
  const parts = { clis, machine }
  const lock = lockIdentity(options.home, options.name)
  try {
    const leftovers = findLeftovers(options)
    const isGone = await endProcesses(leftovers)
    const report = (link: Parameters<typeof reportEnds>[1]) => reportEnds(leftovers, link, options, signal)
    // Before the join: what is found while it waits for the answer goes with the next one.
    const joinedAs = standing(options, parts)
    const link = await ServerLink.join(
      { ...options, isNameOfHost: given.name === null, clis: () => clis.found, machine: () => machine.facts },
      lock.isFormerGone && isGone,
      signal,
      hasEnds(leftovers) ? report : null,
    )
    return new Worker(options, lock, link, parts, joinedAs, leftovers).running
  } catch (error) {
    lock.release()
    throw error
  }
}

/** What this machine has. */
interface Parts {
  clis: InstalledClis
  machine: Machine
}

class Worker {
  readonly running: RunningWorker
  readonly #options: WorkerOptions & { name: string }
  readonly #lock: IdentityLock
  readonly #link: ServerLink
  readonly #loop: PollLoop
  readonly #context: RunContext
  readonly #runs = new Map<AttemptId, AttemptRun>()
  /** Those of `#runs` whose process is still there: they count against the concurrency. */
  readonly #busy = new Set<AttemptRun>()
  /** Those whose output the server does not have whole. */
  readonly #undelivered = new Set<AttemptRun>()
  readonly #stopping = new AbortController()
  readonly #delivering: Promise<unknown>
  readonly #ticking: Timer
  readonly #pruning: Timer
  readonly #proof: ServerProof
  readonly #sandboxes: Sandboxes
  readonly #guards: Guards
  readonly #disk: DiskRoom
  readonly #triesSandbox: Promise<void>
  #tickedAt = bootMs()
  /** The epoch of the server's database, as far as its answers named it. */
  #epoch: string | null
  #epochWaiters: ((epoch: string | null) => void)[] = []
  /** No answer comes any more. */
  #isOver = false
  /** The `standing` that the server knows. */
  #joinedAs: string
  readonly #parts: Parts
  readonly #unfollow: (() => void) | undefined
  readonly #unwatch: () => void
  /** Resolves when the server knows what this worker is now. */
  #joinedAnew = Promise.withResolvers<void>()
  #idlers: (() => void)[] = []
  /** Since then it ends once nothing runs here; the last to end takes no other in its place. ISO 8601 */
  #restartAskedAt: string | null = null
  #stopped: Promise<void> | null = null
  #ended: Promise<void> | null = null
  #hurry = Promise.withResolvers<void>()

  constructor(
    options: WorkerOptions & { name: string },
    lock: IdentityLock,
    link: ServerLink,
    parts: Parts,
    joinedAs: string,
    leftovers: readonly Leftover[],
  ) {
    const { clis } = parts
    this.#options = options
    this.#lock = lock
    this.#link = link
    this.#epoch = link.epoch
    this.#proof = new ServerProof(options.home)
    this.#sandboxes = new Sandboxes(options.env)
    this.#disk = new DiskRoom(options.home, options.log)
    this.#guards = new Guards({ ...options, goesOn: options.isAssignedOnly !== true })
    if (options.spawn === undefined) this.#guards.prepare()
    this.#triesSandbox = this.#tellSandbox()
    this.#context = {
      options,
      sandboxes: this.#sandboxes,
      guards: { spawn: options.spawn ?? this.#guards.spawn },
      cliOf: (harness) => clis.finderOf(harness),
      cliLost: (agent) => this.#cliLost(agent),
      client: () => link.client,
      whenOver: (task) => this.#whenOver(task),
      isBegunAgain: (attempt) => this.#runs.has(attempt),
      leftoversDelivered: () => this.#delivering,
      epoch: () => this.#epoch,
      nextEpoch: () => this.#nextEpoch(),
    }
    this.#loop = new PollLoop({
      poll: (input, signal) => this.#poll(input, signal),
      rejoin: (signal) => link.rejoin(signal),
      attempts: () => [...this.#runs.values()].map(({ attemptId: id, generation }) => ({ id, generation })),
      capacity: () => (this.#takesNothing || this.#disk.isFull ? 0 : options.capacity().concurrency - this.#busy.size),
      onAssignment: (assignment, sentAt) => this.#begin(assignment, sentAt),
      onCommand: (command) => this.#runs.get(command.attemptId)?.command(command),
      onLost: (id) => this.#lose(id, 'the server gave it to another worker, or it is over'),
      onRenewed: (answer, sentAt) => this.#renewed(answer, sentAt),
      leaseMs: link.leaseMs,
      log: options.log,
    })
    this.#ticking = setInterval(() => this.#tick(), TICK_MS)
    this.#delivering = deliver(
      leftovers,
      { client: () => link.client, epoch: link.epoch },
      options,
      this.#stopping.signal,
    ).catch((error: unknown) => {
      options.log.warn('the output of old runs could not be delivered', { error, worker: options.name })
    })
    this.#parts = parts
    void this.#pruneMirrors()
    this.#pruning = setInterval(() => void this.#pruneMirrors(), PRUNE_MS)
    this.#joinedAs = joinedAs
    void clis.all.then(() => this.#follow())
    this.#unwatch = clis.watch(() => this.#follow())
    this.#unfollow = options.onSettings?.(() => this.#follow())
    this.running = {
      agentId: link.agentId,
      name: link.name,
      idle: () => this.#idle(),
      running: () => this.#busy.size,
      endWhenIdle: (askedAt) => this.#endWhenIdle(askedAt),
      stop: (stopOptions) => this.#stop(stopOptions?.deadlineMs ?? DEFAULT_STOP_MS),
      done: this.#work(),
    }
    // The log tells a person who does not look at it.
    this.running.done.catch(() => {})
    options.log.info('the worker is ready', { worker: options.name, concurrency: options.capacity().concurrency })
  }

  async #work(): Promise<void> {
    try {
      await this.#loop.run()
      await this.#stopped
    } catch (error) {
      this.#options.log.error("the worker can't continue", { error, worker: this.#options.name })
      for (const run of this.#runs.values()) run.lost("its worker can't continue")
      await this.#end()
      throw error
    }
  }

  /** The settings changed: questions are looked at by the new rules, and the next poll tells the server what this worker is. */
  #follow(): void {
    for (const run of this.#runs.values()) run.judgeAnew()
    if (this.#standing() !== this.#joinedAs) this.#loop.wake()
  }

  async #poll(
    input: Parameters<ConstructorParameters<typeof PollLoop>[0]['poll']>[0],
    signal: AbortSignal,
  ): Promise<PollAnswer> {
    const { isAssignedOnly } = this.#options
    const current = this.#standing()
    if (current !== this.#joinedAs) {
      await this.#link.joinAnew(signal)
      this.#joinedAs = current
      this.#joinedAnew.resolve()
      this.#joinedAnew = Promise.withResolvers()
    }
    const { agentId, bootId, client } = this.#link
    return client.agents.poll(agentId, { ...input, bootId, ...(isAssignedOnly && { isAssignedOnly }) }, { signal })
  }

  /** A task that is released for a CLI must not come back to this worker by a poll that is under way. */
  async #cliLost(agent: AgentName): Promise<void> {
    const known = this.#joinedAnew.promise
    this.#parts.clis.lost(agent)
    this.#options.log.warn('an agent CLI is not on this machine any more', { agent, worker: this.#options.name })
    this.#loop.hurry()
    if (this.#standing() !== this.#joinedAs) await within(known, TOLD_MS)
  }

  /** Tries it now, so that the first run need not wait, and says what holds. */
  async #tellSandbox(): Promise<void> {
    const { log, name, settings } = this.#options
    if (settings.sandbox === 'off') return
    const why = await this.#sandboxes.whyNone(settings.sandbox)
    if (why === null) {
      const whyOpen = await this.#sandboxes.whyOpen(settings.sandbox)
      log.info('tasks run in a sandbox', {
        worker: name,
        network: whyOpen === null ? settings.network : 'open',
        whyOpen,
      })
      return
    }
    const text = settings.sandbox === 'require' ? 'no task can run: there is no sandbox' : 'tasks run without a sandbox'
    log.warn(text, { worker: name, why })
  }

  async #pruneMirrors(): Promise<void> {
    const { settings, log, name } = this.#options
    const remotes = await pruneMirrors(settings.mirrorFolder, Date.now()).catch((error: unknown) => {
      log.warn('unused mirrors could not be removed', { error, worker: name })
      return []
    })
    if (remotes.length > 0) log.info('removed mirrors that nobody uses', { worker: name, remotes })
  }

  #begin(assignment: Assignment, sentAt: number): void {
    const { log, name, spawn } = this.#options
    const { attemptId, task } = assignment
    if (this.#runs.has(attemptId)) return
    let run: AttemptRun
    try {
      run = new AttemptRun(assignment, sentAt, this.#context)
    } catch (error) {
      log.error("an attempt can't be stored on this disk", { error, attempt: attemptId, worker: name })
      // If that is not heard either, its lease runs out, and another worker takes it.
      this.#link.client.attempts.report(attemptId, { ended: failedStart(error) }).catch(() => {})
      return
    }
    log.info('claimed a task', { task: task.id, attempt: attemptId, worker: name })
    this.#runs.set(attemptId, run)
    this.#busy.add(run)
    this.#undelivered.add(run)
    void run.delivered.then(() => this.#undelivered.delete(run))
    void run.over.then(() => {
      this.#busy.delete(run)
      this.#loop.wake()
      if (this.#takesNothing) this.#loop.interrupt()
    })
    void run.done
      .catch((error: unknown) => log.error('an attempt failed unexpectedly', { error, attempt: attemptId }))
      .then(() => {
        this.#runs.delete(attemptId)
        this.#busy.delete(run)
        if (spawn === undefined) this.#guards.prepareNext()
        if (this.#runs.size === 0) for (const idle of this.#idlers.splice(0)) idle()
        this.#endIfIdle()
      })
    if (this.#stopping.signal.aborted) run.shutdown(0)
  }

  #lose(id: AttemptId, reason: string): void {
    this.#runs.get(id)?.lost(reason)
  }

  #standing(): string {
    return standing(this.#options, this.#parts) + (this.#restartAskedAt ?? '')
  }

  #renewed(
    { renewed, leaseMs, serverInstance, epoch }: Pick<PollAnswer, 'renewed' | 'leaseMs' | 'serverInstance' | 'epoch'>,
    at: number,
  ) {
    this.#proof.noteInstance(serverInstance)
    this.#hearEpoch(epoch ?? null)
    for (const id of renewed) {
      const run = this.#runs.get(id)
      if (this.#epoch !== null) run?.restored(this.#epoch)
      run?.renewed(at, leaseMs)
    }
  }

  #hearEpoch(epoch: string | null): void {
    if (epochsDiffer(this.#epoch, epoch)) {
      this.#options.onRestored?.()
      this.#options.log.warn(
        'the server works on a database that was restored from a backup; runs that it does not know end',
        {
          worker: this.#options.name,
        },
      )
    }
    this.#epoch = epoch ?? this.#epoch
    for (const tell of this.#epochWaiters.splice(0)) tell(epoch)
  }

  #nextEpoch(): Promise<string | null> {
    if (this.#isOver) return Promise.resolve(null)
    return new Promise((resolve) => this.#epochWaiters.push(resolve))
  }

  #tick(): void {
    // Before the look: what was proven then was so at this moment, too.
    const now = bootMs()
    if (now - this.#tickedAt > WOKEN_MS) this.#loop.hurry()
    this.#tickedAt = now
    // A poll that is under way was sent with the capacity of before.
    if (this.#disk.look()) this.#loop.interrupt()
    if (this.#busy.size > 0 && this.#loop.isSilent && this.#proof.isGone()) for (const run of this.#busy) run.held(now)
    for (const run of this.#busy) run.checkTime(now)
  }

  async #whenOver(task: TaskId): Promise<void> {
    await Promise.all([...this.#busy].filter((run) => run.taskId === task).map((run) => run.over))
  }

  #idle(): Promise<void> {
    return this.#runs.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#idlers.push(resolve))
  }

  get #takesNothing(): boolean {
    return this.#stopping.signal.aborted || (this.#restartAskedAt !== null && this.#busy.size === 0)
  }

  #endWhenIdle(askedAt: string): void {
    if (this.#restartAskedAt !== null) return
    this.#restartAskedAt = askedAt
    const { log, name } = this.#options
    this.#link.restartAskedAt = askedAt
    log.info('the worker restarts once nothing runs here', { worker: name, running: this.#busy.size })
    this.#endIfIdle()
    if (this.#stopped === null) this.#loop.hurry()
  }

  #endIfIdle(): void {
    if (this.#restartAskedAt !== null && this.#runs.size === 0) void this.#stop(DEFAULT_STOP_MS)
  }

  #stop(deadlineMs: number): Promise<void> {
    const timer = setTimeout(() => this.#hurry.resolve(), deadlineMs)
    this.#stopped ??= this.#stopOnce(deadlineMs)
    return this.#stopped.finally(() => clearTimeout(timer))
  }

  async #stopOnce(deadlineMs: number): Promise<void> {
    this.#stopping.abort()
    this.#loop.interrupt()
    // The last fifth is for killing, telling and delivering.
    for (const run of this.#runs.values()) run.shutdown(deadlineMs * 0.8)
    const ended = () => Promise.all([...this.#runs.values()].map((run) => run.done.catch(() => {})))
    // The next start reports to a server that is away, which is no reason to keep the machine from shutting down.
    const isQuiet = Promise.all([...this.#runs.values()].map((run) => run.over)).then(() => within(ended(), TELL_MS))
    await Promise.race([isQuiet, this.#hurry.promise])
    await Promise.all([...this.#runs.values()].map((run) => run.kill()))
    await within(
      ended().then(() => Promise.all([...this.#undelivered].map((run) => run.delivered))),
      LAST_WORD_MS,
    )
    await Promise.all([...this.#undelivered].map((run) => run.abandon()))
    await this.#end()
  }

  /** Waiters for this worker need not wait until it was silent for long. */
  async #leave(): Promise<void> {
    const { agentId, bootId, client } = this.#link
    const input = { bootId, capacity: 0, attempts: [], waitMs: 0, isLeaving: true }
    await client.agents.poll(agentId, input).catch(() => {})
  }

  #end(): Promise<void> {
    this.#ended ??= this.#endOnce()
    return this.#ended
  }

  async #endOnce(): Promise<void> {
    this.#stopping.abort()
    this.#loop.stop()
    this.#isOver = true
    for (const tell of this.#epochWaiters.splice(0)) tell(null)
    this.#unfollow?.()
    this.#unwatch()
    clearInterval(this.#ticking)
    clearInterval(this.#pruning)
    await Promise.all([this.#guards.close(), within(this.#leave(), LAST_WORD_MS)])
    // Its program must not outlive this worker.
    await this.#triesSandbox
    await this.#delivering
    this.#lock.release()
    this.#options.log.info('the worker stopped', { worker: this.#options.name })
  }
}

/** For the record to hold what the ended wrote, and for the server to take how they ended. */
const TELL_MS = 3_000
/** For the server to take how the killed ended. */
const LAST_WORD_MS = 500

/** What a worker says of itself when it joins and that may change meanwhile, to be compared. */
const standing = ({ capacity, settings }: WorkerOptions, { clis, machine }: Parts): string =>
  JSON.stringify([
    capacity(),
    ...[settings.maxPermissionMode, settings.dirs, settings.fallback],
    ...[clis.found, machine.facts],
  ])
