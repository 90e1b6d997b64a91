import { appendFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { AppError, isAppError } from '../../domain/errors'
import type { CliPlace, HarnessRun, PermissionAnswer, RunTalk } from '../../domain/harness/harness-run'
import { type AgentName, type AttemptId, type SessionId, sessionId, type TaskId } from '../../domain/ids'
import { judge, type PolicyRules } from '../../domain/policy/tool-rules'
import { type LeaseTimes, leaseTimes } from '../../domain/task/lease'
import { exceedsMode, raiseCeilingHint } from '../../domain/task/permission-mode'
import { isRemote } from '../../domain/task/repository'
import type { Rung } from '../../domain/task/task'
import type { Assignment, AttemptEnd, AttemptReport, Command } from '../../domain/task/worker-protocol'
import { lodeFiles } from '../../util/lode-command'
import { bootMs } from '../../util/process/boot-clock'
import { asWorker } from '../as-worker'
import { Backoff, pause, within } from '../link/backoff'
import type { WorkerClient, WorkerOptions } from '../options'
import { Reporter } from '../output/reporter'
import { Spool } from '../output/spool'
import { isPassing, SpoolUploader } from '../output/spool-uploader'
import { HookBridge } from '../sandbox/hook-bridge'
import type { Box, Sandboxes } from '../sandbox/sandbox'
import { temporaryFolders } from '../sandbox/temporary-folders'
import { fetchBundle, WorkCopies } from '../workplace/work-copies'
import { findWorkplace, type Workplace, type WorkplaceParts } from '../workplace/workplace'
import { cleanWorktree } from '../workplace/worktree'
import { type AgentCli, type CliFinder, ownAddresses, runEnvironment } from './agent-cli'
import { attemptEnd, endBeforeRun, failedStart } from './attempt-end'
import { AttemptFolder, epochsDiffer } from './attempt-folder'
import { whenRecorded } from './conversation-steps'
import { findConversation } from './find-conversation'
import type { GuardedProcess } from './guarded-process'
import { type Climbed, short } from './ladder'
import { launchRun } from './launch-run'
import { tellKept } from './leftovers'
import { PausedTime } from './paused-time'
import { Questions } from './questions'
import { deniedTo, rulePlace, userHomeOf } from './run-rules'
import { RunSession } from './run-session'

/** What all attempts of a worker share. */
export interface RunContext {
  options: WorkerOptions & { name: string }
  sandboxes: Sandboxes
  /** Finds the program of an agent CLI. */
  cliOf(harness: HarnessRun): CliFinder
  /** The program of an agent CLI is not there any more. Resolves when the server knows, or after a while. */
  cliLost(agent: AgentName): Promise<void>
  /** Speaks as the worker. */
  client(): WorkerClient
  /** Resolves when no run of this task is left in this worker. */
  whenOver(task: TaskId): Promise<void>
  /** Resolves when the server has the output of the runs that an earlier process of this worker left. Never fails. */
  leftoversDelivered(): Promise<unknown>
  /** Of the server's database, as far as its answers told. */
  epoch(): string | null
  /** As its next answer tells; `null` = it does not, or the worker ends before. */
  nextEpoch(): Promise<string | null>
}

/** What ends an attempt from outside. */
interface Halt {
  kind: 'cancel' | 'pause' | 'shutdown' | 'lost'
  reason: string
}

/** The stderr of a run that is kept. */
const MAX_ERROR_BYTES = 10 * 2 ** 20
/** What is not delivered by then is not waited for. */
const MAX_DELIVERY_MS = 5_000
const SECOND_LOOK_MS = 50
/** Between two looks for reports of hooks. */
const HOOKS_MS = 250
/** Between two looks whether the lease was renewed, of a run that may not begin. */
const LEASE_LOOK_MS = 100
const TOO_LATE = 'its lease ended before the run began'
/** So long the end of an attempt waits for a copy of its worktree. */
const MAX_COPY_MS = 60_000
/** Timers hold no more. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** One attempt, from its assignment to its last word. */
export class AttemptRun {
  readonly attemptId: AttemptId
  readonly taskId: TaskId
  readonly generation: number
  /** No process of it is left. */
  readonly over: Promise<void>
  /** And the server was told, or is not to be. */
  readonly done: Promise<void>
  /** And the server has all of its output, or will not have it from this process. */
  readonly delivered: Promise<void>
  readonly #assignment: Assignment
  readonly #context: RunContext
  /** Of the agent CLI that runs it: that of the conversation which goes on. */
  #harness: HarnessRun
  readonly #folder: AttemptFolder
  readonly #spool: Spool
  readonly #uploader: SpoolUploader
  readonly #reporter: Reporter
  readonly #questions: Questions
  readonly #heard = new Set<string>()
  /** Aborted by whatever ends the attempt before it runs. */
  readonly #halted = new AbortController()
  /** Aborted when its end can't wait any longer. */
  readonly #rushed = new AbortController()
  /** As the server last said. */
  #leaseMs: number
  /** By the last renewal that was acknowledged. */
  #renewed: LeaseTimes
  /** The same, or later while its lease stands still. */
  #limits: LeaseTimes
  readonly #still = new PausedTime()
  #halt: Halt | null = null
  #process: GuardedProcess | null = null
  #openBox: Box | null = null
  #session: RunSession | null = null
  #prompted = Promise.withResolvers<boolean>()
  #place: Workplace | null = null
  #workCopies: WorkCopies | null = null
  #climbed: Climbed | null = null
  #beginError: unknown
  /** The server knows its conversation, or will before it hears of any output. */
  #isNamed = true
  #isAbandoned = false
  #isEnding = false
  /** Of the server's database, which gave or knows it. */
  #epoch: string | null
  #started: { pid: number; startedAt: string | null } | null = null
  #errorBytes = 0
  #hooksBroughtAt = Number.NEGATIVE_INFINITY
  #overNow: () => void = () => {}

  /** @param sentAt  when the poll was sent that brought it */
  constructor(assignment: Assignment, sentAt: number, context: RunContext) {
    const { options } = context
    this.attemptId = assignment.attemptId
    this.taskId = assignment.task.id
    this.generation = assignment.generation
    this.#assignment = assignment
    this.#leaseMs = assignment.leaseMs
    this.#renewed = leaseTimes(sentAt, assignment.leaseMs)
    this.#limits = this.#renewed
    this.#context = context
    this.#harness = options.harness
    this.#epoch = context.epoch()
    this.#folder = AttemptFolder.make(options.home, assignment.attemptId, this.#epoch)
    this.#spool = new Spool(this.#folder.stream)
    const id = assignment.attemptId
    this.#uploader = new SpoolUploader({
      spool: this.#spool,
      offset: this.#spool.size === 0 ? 0 : undefined,
      send: (offset, bytes) => asWorker(context, (client) => client.attempts.stream(id, { offset: offset }, bytes)),
      onRefused: (error) => options.log.warn('the server does not accept the output of a run', { error, attempt: id }),
    })
    this.#reporter = new Reporter({
      send: (report) => asWorker(context, (client) => client.attempts.report(id, report)),
      onRefused: (error) => this.lost(`the server accepts no more reports: ${(error as Error).message}`),
      now: options.now ?? Date.now,
    })
    this.#questions = new Questions({
      settings: options.settings,
      judge: (toolName, input) => judge(this.#rules(), toolName, input, rulePlace(options, this.#place)),
      ask: (question) => asWorker(context, (client) => client.attempts.ask(id, question)),
      answer: (requestId, answer) => this.#answer(requestId, answer),
      taken: (question, answer) => this.#reporter.taken(question, answer),
      log: (text) => this.#reporter.log('run', text),
    })
    this.over = new Promise((resolve) => {
      this.#overNow = resolve
    })
    this.done = this.#run().finally(this.#overNow)
    this.delivered = this.done.then(() => this.#deliverRest()).catch(() => {})
  }

  /** Something that the server wants of this attempt; said again until it is done, it is done once. */
  command(command: Command): void {
    if (command.kind === 'cancel' || command.kind === 'pause') this.#stop(command.kind, command.reason)
    else if (command.kind === 'answer') this.#questions.settle(command.questionId, command.behavior, command.message)
    else if (!this.#heard.has(command.uuid)) {
      this.#heard.add(command.uuid)
      void this.#say(command.text, command.uuid, command.urgency)
    }
  }

  /** The worker's rules may be others now. */
  judgeAnew(): void {
    this.#questions.judgeAnew()
  }

  /** Another's now, or over: everything ends at once and nothing more is told. */
  lost(reason: string): void {
    // Its run is over and its end on its way to the server, which no longer counts it among ours once it has it: a poll that was
    // under way may hear so first. If the end is refused, the answer to it says so. The output is wanted in either case.
    if (this.#isEnding) return
    this.#stop('lost', reason)
    this.#rushed.abort()
    void this.#reporter.stop()
    void this.#uploader.stop()
  }

  /** Pauses for the worker's end. */
  shutdown(withinMs: number): void {
    this.#stop('shutdown', 'its worker was shut down', withinMs)
  }

  /** Ends the processes now, whatever else. */
  async kill(): Promise<void> {
    await this.#process?.killTree()
  }

  /** The server acknowledged that it renewed the lease, by a poll that was sent at `sentAt`. */
  renewed(sentAt: number, leaseMs: number): void {
    this.#leaseMs = leaseMs
    this.#renewed = leaseTimes(sentAt, leaseMs)
    this.#limits = this.#renewed
    this.#process?.renewed(this.#renewed)
  }

  /** The server's database was restored, and knows this attempt: it may lack the end of the output. */
  restored(epoch: string): void {
    if (!epochsDiffer(this.#epoch, epoch)) return
    this.#epoch = epoch
    this.#folder.writeNote(this.#note(this.#started))
    this.#uploader.askAgain()
  }

  /** It is proven that no lease can end before a full length from `at` on. What is over is over. */
  held(at: number): void {
    if (at >= this.#limits.endAt) return
    this.#limits = leaseTimes(at, this.#leaseMs)
    this.#process?.held(this.#limits)
  }

  /** The guard keeps the time of a process; what has none yet must not begin one. */
  checkTime(now: number): void {
    if (this.#process === null && now >= this.#limits.endAt) this.lost(TOO_LATE)
  }

  /** The worker ends before the server could be told: the next start of the worker tells it. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true
    this.#rushed.abort()
    const end = await this.#reporter.stop()
    if (end !== null) this.#folder.writeEnd(end)
    await this.#uploader.stop()
  }

  #stop(kind: Halt['kind'], reason: string, withinMs?: number): void {
    // A grave reason takes the place of a lighter one.
    if (this.#halt === null || kind === 'lost' || (kind === 'cancel' && this.#halt.kind !== 'lost'))
      this.#halt = { kind, reason }
    this.#halted.abort()
    this.#session?.stop(kind === 'shutdown' ? 'pause' : kind, reason, withinMs)
  }

  async #run(): Promise<void> {
    const { log } = this.#context.options
    let end: AttemptEnd
    try {
      end = await this.#attempt()
    } catch (error) {
      await this.kill()
      // The guard refused to begin what could not have acted any more, or the server does not take our word any more.
      if (this.#halt === null && isAppError(error) && error.code === 'lease_lost') this.lost(error.message)
      end = this.#halt === null ? failedStart(error) : this.#haltedEnd()
      if (this.#halt === null) log.warn('an attempt did not start', { error, attempt: this.attemptId })
    }
    this.#openBox?.close()
    this.#questions.end()
    this.#overNow()
    if (this.#halt?.kind === 'lost') {
      log.warn('an attempt is no longer ours; its processes are being ended', {
        attempt: this.attemptId,
        reason: this.#halt.reason,
      })
      return
    }
    this.#spool.sync()
    await this.#tidy(end)
    this.#reporter.log('run', endWords(end))
    this.#isEnding = true
    await this.#reporter.end(end).catch(() => {
      if (this.#isAbandoned) this.#folder.writeEnd({ ended: end })
    })
  }

  /** Everything up to the process's end. @throws what kept it from starting */
  async #attempt(): Promise<AttemptEnd> {
    const { options } = this.#context
    this.#folder.writeNote(this.#note(null))
    checkPermissionMode(this.#assignment.task.permissionMode, options.settings.maxPermissionMode)
    const place = await findWorkplace(this.#assignment, options.settings, this.#workplaceParts())
    this.#place = place
    this.#workCopies = this.#copiesOf(place)
    if (place.note !== null) this.#reporter.log('run', place.note)
    const holder = await this.#findHolder()
    this.#harness = await this.#findHarness(holder)
    const program = await this.#findProgram()
    if ('why' in program) return endBeforeRun('released', program.why)
    const climbed = await this.#climb(place, holder, program)
    this.#climbed = climbed
    if (this.#halt !== null) return this.#haltedEnd()
    const { sessionId: planned } = climbed.conversation
    this.#reporter.log(
      'run',
      this.#isNamedByIt(climbed) ? climbed.words.replace(` ${short(planned)}`, '') : climbed.words,
    )
    const session = await this.#launch(place, program, climbed)
    const endTimeout = this.#startTimeout(session)
    try {
      const end = await session.ended
      if (this.#beginError !== undefined) throw this.#beginError
      if (end.exit.by === 'deadline')
        options.log.warn('a run was ended: the server did not renew its lease in time', { attempt: this.attemptId })
      const isResume = climbed.launch.kind !== 'new'
      return attemptEnd(end, this.#harness, { isResume, now: (options.now ?? Date.now)() })
    } finally {
      endTimeout()
    }
  }

  #workplaceParts(): WorkplaceParts {
    const task = this.taskId
    return {
      hostName: this.#context.options.hostName,
      workCopy: () =>
        this.#persist(async () => (await asWorker(this.#context, (client) => client.tasks.workCopy(task))).workCopy),
      bundleOf: (copy) =>
        this.#persist(() => asWorker(this.#context, (client) => fetchBundle(client, task, copy, this.#folder.path))),
    }
  }

  #copiesOf({ worktree }: Workplace): WorkCopies | null {
    const { hostName, settings } = this.#context.options
    if (worktree === null || worktree.remote === null || !isRemote(worktree.remote) || !settings.workCopies) return null
    return new WorkCopies({
      worktree,
      attemptId: this.attemptId,
      hostName,
      folder: this.#folder.path,
      asWorker: (work) => asWorker(this.#context, work),
      log: (text) => this.#reporter.log('run', text),
    })
  }

  /** The agent CLI that has the conversation which goes on; `null` = there is none, or nobody has recorded it. */
  #findHolder(): Promise<AgentName | null> {
    const { client } = this.#context
    const { conversation: source } = this.#assignment
    if (source.kind === 'none') return Promise.resolve(null)
    return this.#persist(async () => {
      const known = await client()
        .sessions.get(source.sessionId)
        .catch((error: unknown) => {
          if (isAppError(error) && error.code === 'not_found') return null
          throw error
        })
      if (known !== null) return known.session.agent
      const { attempts } = await asWorker(this.#context, (as) => as.tasks.get(this.taskId))
      return attempts.findLast(({ conversation }) => conversation?.sessionId === source.sessionId)?.agentCli ?? null
    })
  }

  /** What the person asked for, by the server's choice; else a conversation goes on in the agent CLI that has it. */
  async #findHarness(holder: AgentName | null): Promise<HarnessRun> {
    const { options } = this.#context
    const { task, agentCli } = this.#assignment
    const agent = (task.agentClis.length > 0 ? agentCli : (holder ?? agentCli)) ?? holder ?? options.harness.agent
    return agent === options.harness.agent ? options.harness : await options.runOf(agent)
  }

  /** The task is none the worse for a CLI that is not here, or not now: a worker that has it takes it. */
  async #findProgram(): Promise<AgentCli | { why: string }> {
    const { cliOf, cliLost } = this.#context
    const { agent } = this.#harness
    try {
      return await cliOf(this.#harness).find()
    } catch (error) {
      if (!isAppError(error)) throw error
      await cliLost(agent)
      return { why: error.message }
    }
  }

  #climb(place: Workplace, holder: AgentName | null, program: AgentCli): Promise<Climbed> {
    return findConversation({
      holder,
      program,
      assignment: this.#assignment,
      options: this.#context.options,
      harness: this.#harness,
      folder: this.#folder,
      place: this.#cliPlace(place),
      client: this.#context.client,
      whenOver: this.#context.whenOver,
      look: () => asWorker(this.#context, (client) => client.tasks.get(this.taskId)),
      persist: (work) => this.#persist(work),
      signal: this.#halted.signal,
    })
  }

  /** A summary must know the last words of the run before, of which perhaps nothing but its output is left. */
  async #askPrompt(rung: Rung): Promise<string> {
    if (rung === 'preamble') await within(this.#context.leftoversDelivered(), MAX_DELIVERY_MS)
    return await this.#persist(() => asWorker(this.#context, (client) => client.tasks.prompt(this.taskId, { rung })))
  }

  async #launch(place: Workplace, program: AgentCli, climbed: Climbed): Promise<RunSession> {
    const { conversation } = climbed
    const { options } = this.#context
    // Asked for while the CLI starts, which takes longer.
    const prompt = this.#askPrompt(conversation.rung)
    prompt.catch(() => {})
    this.#keepRecall()
    const box = await this.#box(place, program, climbed)
    this.#openBox = box
    if (box.note !== null) this.#reporter.log('run', box.note)
    await this.#mayAct()
    const limits = this.#limits
    const { process: spawned, talk } = await launchRun({
      assignment: this.#assignment,
      options,
      harness: this.#harness,
      folder: this.#folder,
      cwd: place.cwd,
      denied: this.#rules().deny,
      program,
      box,
      climbed,
      fence: {
        limits,
        onFrozen: (count, at) => this.#frozen(count, at),
        onThawed: (count, at) => this.#thawed(count, at),
      },
    })
    this.#process = spawned
    // What came while it started.
    if (this.#limits !== limits) {
      if (this.#limits === this.#renewed) spawned.renewed(this.#limits)
      else spawned.held(this.#limits)
    }
    const isNamedByIt = this.#isNamedByIt(climbed)
    this.#isNamed = !isNamedByIt
    const session = this.#watch(spawned, talk, isNamedByIt ? null : conversation.sessionId)
    this.#started = { pid: spawned.pid, startedAt: spawned.startedAt }
    this.#folder.writeNote(this.#note(this.#started))
    void this.#begin(session, prompt, {
      ...(isNamedByIt ? {} : { conversation }),
      process: {
        pid: spawned.pid,
        startedAt: spawned.startedAt,
        cwd: place.cwd,
        branch: place.worktree?.branch ?? null,
        base: place.worktree?.base ?? null,
        cliVersion: program.version,
      },
    })
    return session
  }

  /** A run must not begin when it would have to stand still: the answer that gave it may be old, or the server away. */
  async #mayAct(): Promise<void> {
    const { signal } = this.#halted
    while (bootMs() >= this.#limits.freezeAt && !signal.aborted) await pause(LEASE_LOOK_MS, signal)
    if (signal.aborted) throw new Error('The run was halted before it began.')
  }

  #frozen(count: number, at: number): void {
    this.#still.begin(at)
    const processes = count === 1 ? 'its process was' : `its ${count} processes were`
    this.#reporter.log('run', `the server did not renew the lease: ${processes} paused until it does`)
    this.#context.options.log.warn('a run was paused: the server did not renew its lease', {
      attempt: this.attemptId,
      processes: count,
    })
  }

  #thawed(count: number, at: number): void {
    const ms = this.#still.end(at)
    const processes = count === 1 ? 'its process continues' : `its ${count} processes continue`
    this.#reporter.log('run', `the lease was renewed: ${processes} after ${Math.round(ms / 100) / 10} s`)
    this.#context.options.log.info('a run continues: its lease was renewed', {
      attempt: this.attemptId,
      processes: count,
      stoodStillMs: Math.round(ms),
    })
  }

  #watch(spawned: GuardedProcess, talk: RunTalk, session: SessionId | null): RunSession {
    const { settings } = this.#context.options
    this.#session = new RunSession({
      process: spawned,
      harness: this.#harness,
      talk,
      sessionId: session,
      onStarted: (id) => this.#named(id),
      spool: this.#spool,
      // Of output whose conversation the server does not know it records nothing.
      onOutput: () => {
        this.#bringHooks()
        if (this.#isNamed) this.#uploader.wake()
      },
      onTurn: () => void this.#workCopies?.keep(),
      onPermission: (request) => void this.#questions.take(request),
      onDelivered: (uuid) => {
        if (this.#heard.has(uuid)) this.#reporter.input(uuid, 'delivered')
      },
      log: (kind, text) => this.#reporter.log(kind, text),
      keepError: (bytes) => {
        if (this.#errorBytes < MAX_ERROR_BYTES) appendFileSync(this.#folder.stderr, bytes, { mode: 0o600 })
        this.#errorBytes += bytes.length
      },
      backgroundGraceMs: settings.backgroundGraceMs,
      still: this.#still,
    })
    // What was asked for while it started.
    if (this.#halt !== null)
      this.#session.stop(this.#halt.kind === 'shutdown' ? 'pause' : this.#halt.kind, this.#halt.reason)
    return this.#session
  }

  #answer(requestId: string, answer: PermissionAnswer): void {
    void this.#session?.permit(requestId, answer)
  }

  /** The id of the conversation comes from the CLI, once it runs. */
  #isNamedByIt({ launch }: Climbed): boolean {
    return launch.kind !== 'resume' && this.#harness.sessionIds === 'its'
  }

  /** The CLI has begun a conversation under an id of its own. */
  #named(id: string): void {
    const climbed = this.#climbed
    if (climbed === null) return
    const conversation = { ...climbed.conversation, sessionId: sessionId(id) }
    this.#climbed = { ...climbed, conversation }
    this.#reporter.log('run', `its session is ${id}`)
    // Refused, it is as if the process had not been told of.
    this.#reporter.report({ conversation }).then(
      () => {
        this.#isNamed = true
        this.#uploader.wake()
      },
      (error: unknown) => this.#failBegin(error),
    )
  }

  /**
   * The prompt goes in only once the server knows of the process, and of its conversation where that has a name before.
   */
  async #begin(
    session: RunSession,
    prompt: Promise<string>,
    part: Pick<AttemptReport, 'conversation' | 'process'>,
  ): Promise<void> {
    try {
      await this.#reporter.report(part)
      this.#prompted.resolve(await session.say(await prompt, crypto.randomUUID(), 'next'))
    } catch (error) {
      this.#prompted.resolve(false)
      this.#failBegin(error)
    }
  }

  #failBegin(error: unknown): void {
    // Stopped meanwhile, or refused, which ends the run by itself.
    if (this.#halt !== null) return
    this.#beginError = error
    void this.#session?.kill()
  }

  async #say(text: string, uuid: string, urgency: 'now' | 'next'): Promise<void> {
    if (!(await this.#prompted.promise)) return
    if (await this.#session?.say(text, uuid, urgency)) this.#reporter.input(uuid, 'sent')
    // Not taken: it stays with the server for the next attempt.
    else this.#heard.delete(uuid)
  }

  /** A text for the hooks in case that the server is away when they ask. */
  #keepRecall(): void {
    asWorker(this.#context, (client) => client.tasks.recall(this.taskId, { moment: 'compact' })).then(
      (text) => this.#folder.write(this.#folder.recall, text),
      () => {},
    )
  }

  /** Time that it stood still is none of its own. @returns what ends the watch */
  #startTimeout(session: RunSession): () => void {
    const { timeoutMs } = this.#assignment.task
    if (timeoutMs === null || timeoutMs > MAX_TIMER_MS) return () => {}
    const reason = `it took longer than its timeout of ${Math.round(timeoutMs / 100) / 10} s`
    const beganAt = bootMs()
    // A worker that stood still itself reads what its guard said only after its timers have run: it looks twice.
    let isSecondLook = false
    const look = (): void => {
      const left = beganAt + timeoutMs + this.#still.ms - bootMs()
      if (left <= 0 && isSecondLook) {
        session.stop('timeout', reason)
        return
      }
      isSecondLook = left <= 0
      timer = setTimeout(look, Math.max(left, SECOND_LOOK_MS))
    }
    let timer = setTimeout(look, timeoutMs)
    return () => clearTimeout(timer)
  }

  /** Before the end is told: what comes after may build on it. */
  async #tidy(end: AttemptEnd): Promise<void> {
    const { options } = this.#context
    const place = this.#place
    if (place === null) return
    this.#bringHooks(true)
    if (this.#climbed !== null && this.#process !== null) {
      const session = this.#climbed.conversation.sessionId
      const context = {
        harness: this.#harness,
        client: this.#context.client(),
        formerCwd: null,
        signal: this.#rushed.signal,
      }
      await whenRecorded({ ...context, place: this.#cliPlace(place) }, session).catch(() => false)
    }
    if (end.failureClass !== 'lease_lost') await within(this.#workCopies?.keep() ?? Promise.resolve(), MAX_COPY_MS)
    this.#workCopies?.close()
    // It may be another's by now.
    if (place.worktree !== null && end.failureClass !== 'lease_lost') {
      const words = await cleanWorktree(
        place.worktree,
        options.settings.keepWorktrees,
        end.outcome === 'completed',
      ).catch((error: unknown) => `the worktree could not be removed: ${(error as Error).message}`)
      if (words !== null) this.#reporter.log('run', words)
    }
  }

  /** Brings the rest of the output to the server, for as long as it takes, then removes the folder. */
  async #deliverRest(): Promise<void> {
    const isLost = this.#halt?.kind === 'lost'
    const isDelivered = !isLost && (await this.#uploader.drain())
    await this.#uploader.stop()
    this.#spool.close()
    // What it still sends lies in the folder.
    if (!isLost) await this.#workCopies?.settled
    if (isLost) {
      // Of a lost one nothing more is told, but the database may have been restored, and never have heard of it.
      const epoch = this.#epoch === null ? null : await this.#context.nextEpoch()
      if (epochsDiffer(this.#epoch, epoch)) tellKept(this.#context.options.log, this.attemptId, this.#folder.keep())
      // Where the worker ends before it hears, its next start finds out.
      else if (epoch === this.#epoch) this.#folder.remove()
    }
    // What is left the next start of the worker delivers.
    else if (isDelivered && this.#folder.readEnd() === null) this.#folder.remove()
  }

  #box(place: Workplace, program: AgentCli, climbed: Climbed): Promise<Box> {
    const { options, sandboxes } = this.#context
    const { env, home, lode, settings } = options
    const folder = this.#folder
    const cli = this.#cliPlace(place)
    const { permissionMode } = this.#assignment.task
    const given = runEnvironment(this.#harness, options, {})
    return sandboxes.boxFor(settings.sandbox, () => ({
      place: cli,
      state: this.#harness.state(cli, { conversation: climbed.launch, permissionMode, env: given }),
      userHome: userHomeOf(env),
      home,
      scratch: folder.scratch,
      runFolder: folder.run,
      hooksFolder: folder.hooks,
      temporary: temporaryFolders(given),
      programs: [program.path, ...lode, ...lodeFiles()].filter((word) => isAbsolute(word)),
      writable: settings.writableDirs,
      network: {
        words: () => settings.network,
        own: ownAddresses(this.#harness, options),
        env,
        lode,
        socket: folder.network,
        onRefused: (why) => this.#reporter.log('run', `a connection was refused: ${why}`),
      },
    }))
  }

  /** What hooks of a sandboxed run report goes to the host's journal. Often called: it looks now and then, unless it is the end. */
  #bringHooks(isEnd = false): void {
    const now = performance.now()
    if (!isEnd && now - this.#hooksBroughtAt < HOOKS_MS) return
    this.#hooksBroughtAt = now
    const { options } = this.#context
    try {
      new HookBridge(this.#folder.hooks, this.#folder.hooksDone, options.home).bring()
    } catch (error) {
      options.log.warn('the hook reports of a run could not be recorded', { error, attempt: this.attemptId })
    }
  }

  #rules(): PolicyRules {
    const { options } = this.#context
    return { allow: options.settings.allow, deny: deniedTo(options, this.#configRoot(), this.#place?.cwd ?? '/') }
  }

  /** The configuration folder of the CLI that runs it. */
  #configRoot(): string {
    const { options } = this.#context
    return options.rootOf(this.#harness.agent, runEnvironment(this.#harness, options, {}))
  }

  #cliPlace(place: Workplace): CliPlace {
    return { root: this.#configRoot(), cwd: place.cwd }
  }

  #haltedEnd(): AttemptEnd {
    const { kind, reason } = this.#halt ?? { kind: 'shutdown', reason: 'it was stopped' }
    if (kind === 'cancel') return endBeforeRun('cancelled', reason)
    return endBeforeRun(kind === 'pause' ? 'paused' : 'released', `${reason} before the run began`)
  }

  #note(running: { pid: number; startedAt: string | null } | null) {
    return {
      attemptId: this.attemptId,
      taskId: this.taskId,
      worker: this.#context.options.name,
      process: running,
      epoch: this.#epoch,
    }
  }

  /** Tries again while the server is away, until the attempt is halted. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    const backoff = new Backoff()
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (this.#halted.signal.aborted || !isPassing(error)) throw error
        await pause(backoff.next(), this.#halted.signal)
        if (this.#halted.signal.aborted) throw error
      }
    }
  }
}

/** What the server says is not enough: this machine's person has the last word. @throws `invalid` */
function checkPermissionMode(mode: string | null, most: string): void {
  if (mode === null || !exceedsMode(mode, most)) return
  throw new AppError(
    'invalid',
    `The permission mode ${mode} is above this worker's worker.maxPermissionMode, which is ${most}.`,
    {
      hint: raiseCeilingHint(mode),
    },
  )
}

function endWords({ outcome, reason, exitCode, signal }: AttemptEnd): string {
  const how = exitCode !== null ? ` (exit code ${exitCode})` : signal !== null ? ` (${signal})` : ''
  return `${outcome}${how}: ${reason}`
}
