import { join } from 'node:path'
import { isAppError } from '../../domain/errors'
import type { CliPlace, HarnessRun, PermissionAnswer, RunTalk } from '../../domain/harness/harness-run'
import { type AgentName, type AttemptId, type SessionId, sessionId, type TaskId } from '../../domain/ids'
import { judge, type PolicyRules } from '../../domain/policy/tool-rules'
import type { RecallMoment } from '../../domain/recall/recall'
import { isRemote } from '../../domain/task/repository'
import type { Rung } from '../../domain/task/task'
import type { Assignment, AttemptEnd, AttemptReport, Command } from '../../domain/task/worker-protocol'
import { MINUTE_MS } from '../../domain/time-units'
import { asWorker } from '../as-worker'
import { within } from '../link/backoff'
import { persist } from '../link/persist'
import { Reporter } from '../output/reporter'
import { HookBridge } from '../sandbox/hook-bridge'
import type { Box } from '../sandbox/sandbox'
import { fetchBundle, WorkCopies } from '../workplace/work-copies'
import { findWorkplace, type Workplace, type WorkplaceParts } from '../workplace/workplace'
import { cleanWorktree } from '../workplace/worktree'
import { attemptEnd, endBeforeBegin, endBeforeRun, endWords, failedStart, type Halt } from './attempt-end'
import { AttemptFolder, type AttemptNote, epochsDiffer } from './attempt-folder'
import { type AgentCli, runEnvironment } from './cli/agent-cli'
import { chooseHarness, findHolder, findProgram } from './cli/choose-cli'
import { transcriptBytes, whenRecorded } from './conversation/conversation-steps'
import { findConversation } from './conversation/find-conversation'
import { type Climbed, short } from './conversation/ladder'
import type { GuardedProcess } from './guarded-process'
import { FIRST_MOMENTS, launchRun } from './launch-run'
import { tellKept } from './leftovers'
import { Questions } from './questions'
import { boxFor } from './run-box'
import type { RunContext } from './run-context'
import { RunLease } from './run-lease'
import { RunOutput } from './run-output'
import { checkPermissionMode, deniedTo, rulePlace } from './run-rules'
import { RunSession } from './run-session'
import { startTimeout } from './run-timeout'

/** What is not delivered by then is not waited for. */
const MAX_DELIVERY_MS = 5_000
/** Between two looks for reports of hooks. */
const HOOKS_MS = 250
const TOO_LATE = 'its lease ended before the run began'
/** So long the end of an attempt waits for a copy of its worktree. */
const MAX_COPY_MS = MINUTE_MS

/** One attempt, from its assignment to its last word. */
export class AttemptRun {
  readonly attemptId: AttemptId
  readonly taskId: TaskId
  readonly generation: number
  /** No process of it is left. */
  readonly over: Promise<void>
  /** And the server knows it, or need not. */
  readonly done: Promise<void>
  /** And the server has all of its output, or will not have it from this process. */
  readonly delivered: Promise<void>
  readonly #assignment: Assignment
  readonly #context: RunContext
  /** The agent CLI that runs it: that of the conversation which goes on. */
  #harness: HarnessRun
  readonly #folder: AttemptFolder
  readonly #lease: RunLease
  readonly #output: RunOutput
  readonly #reporter: Reporter
  readonly #questions: Questions
  readonly #heard = new Set<string>()
  /** Aborted by whatever ends the attempt before it runs. */
  readonly #halted = new AbortController()
  /** Aborted when its end can't wait any longer. */
  readonly #rushed = new AbortController()
  #halt: Halt | null = null
  #process: GuardedProcess | null = null
  #openBox: Box | null = null
  #session: RunSession | null = null
  #prompted = Promise.withResolvers<boolean>()
  #place: Workplace | null = null
  #workCopies: WorkCopies | null = null
  #climbed: Climbed | null = null
  #beginError: unknown
  #isAbandoned = false
  #isEnding = false
  /** The epoch of the server's database, which gave or knows it. */
  #epoch: string | null
  #started: Pick<GuardedProcess, 'pid' | 'startedAt' | 'guard'> | null = null
  #hooksBroughtAt = Number.NEGATIVE_INFINITY
  #overNow: () => void = () => {}

  /** @param sentAt  when the poll was sent that brought it */
  constructor(assignment: Assignment, sentAt: number, context: RunContext) {
    const { options } = context
    this.attemptId = assignment.attemptId
    this.taskId = assignment.task.id
    this.generation = assignment.generation
    this.#assignment = assignment
    this.#context = context
    this.#harness = options.harness
    this.#epoch = context.epoch()
    this.#folder = AttemptFolder.make(options.home, assignment.attemptId, this.#epoch)
    const id = assignment.attemptId
    this.#output = new RunOutput(id, this.#folder, context)
    this.#reporter = new Reporter({
      send: (report) => asWorker(context, (client) => client.attempts.report(id, report)),
      onRefused: (error) => this.lost(`the server accepts no more reports: ${(error as Error).message}`),
      now: options.now ?? Date.now,
    })
    this.#lease = new RunLease(assignment, sentAt, options.log, (text) => this.#reporter.log('run', text))
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

  /** Another's now, or over: everything ends at once without a further report. */
  lost(reason: string): void {
    // Its run is over and its end on its way to the server, which no longer counts it among ours once it has it: a poll that was
    // under way may hear so first. If the end is refused, the answer to it says so. The output is wanted in either case.
    if (this.#isEnding) return
    this.#stop('lost', reason)
    this.#rushed.abort()
    void this.#reporter.stop()
    void this.#output.stop()
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
    this.#lease.renewed(sentAt, leaseMs)
  }

  /** The server's database was restored, and knows this attempt: it may lack the end of the output. */
  restored(epoch: string): void {
    if (!epochsDiffer(this.#epoch, epoch)) return
    this.#epoch = epoch
    this.#folder.writeNote(this.#note(this.#started))
    this.#output.askAgain()
  }

  /** It is proven that no lease can end before a full length from `at` on. What is over is over. */
  held(at: number): void {
    this.#lease.held(at)
  }

  /** The guard keeps the time of a process; what has none yet must not begin one. */
  checkTime(now: number): void {
    if (this.#lease.isTooLateToBegin(now)) this.lost(TOO_LATE)
  }

  /** The worker ends before the server could get the report: the next start of the worker sends it. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true
    this.#rushed.abort()
    const end = await this.#reporter.stop()
    if (end !== null) this.#folder.writeEnd(end)
    await this.#output.stop()
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
      end = this.#halt === null ? failedStart(error) : endBeforeBegin(this.#halt)
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
    end = { ...end, ...this.#leaves() }
    await Promise.all([
      this.#output.spool.sync().catch((error: unknown) => {
        log.warn('the output of a run may not survive a power loss', { error, attempt: this.attemptId })
      }),
      this.#tidy(end),
    ])
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
    const holder = await this.#persist(() => findHolder(this.#assignment, this.#context))
    this.#harness = await chooseHarness(this.#assignment, holder, this.#context)
    const program = await findProgram(this.#harness, this.#context)
    if ('why' in program) return endBeforeRun('released', program.why)
    const climbed = await this.#climb(place, holder, program)
    this.#climbed = climbed
    if (this.#halt !== null) return endBeforeBegin(this.#halt)
    const { sessionId: planned } = climbed.conversation
    this.#reporter.log(
      'run',
      this.#isNamedByIt(climbed) ? climbed.words.replace(` ${short(planned)}`, '') : climbed.words,
    )
    const session = await this.#launch(place, program, climbed)
    const endTimeout = startTimeout(this.#assignment.task.timeoutMs, this.#lease.still, (reason) =>
      session.stop('timeout', reason),
    )
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
    const conversation = { ...climbed.conversation, ...this.#goesOnFrom(climbed, place) }
    const { options } = this.#context
    // Asked for while the CLI starts, which takes longer.
    const prompt = this.#askPrompt(conversation.rung)
    prompt.catch(() => {})
    const box = await boxFor(this.#context, {
      harness: this.#harness,
      place: this.#cliPlace(place),
      folder: this.#folder,
      program,
      conversation: climbed.launch,
      permissionMode: this.#assignment.task.permissionMode,
      onRefused: (why) => this.#reporter.log('run', `a connection was refused: ${why}`),
    })
    this.#openBox = box
    if (box.note !== null) this.#reporter.log('run', box.note)
    await this.#lease.mayAct(this.#halted.signal)
    const { process: spawned, talk } = await this.#lease.guard((fence) =>
      launchRun({
        assignment: this.#assignment,
        options,
        guards: this.#context.guards,
        harness: this.#harness,
        folder: this.#folder,
        cwd: place.cwd,
        denied: this.#rules().deny,
        program,
        box,
        climbed,
        fence,
      }),
    )
    this.#process = spawned
    const isNamedByIt = this.#isNamedByIt(climbed)
    if (isNamedByIt) this.#output.holdBack()
    const session = this.#watch(spawned, talk, isNamedByIt ? null : conversation.sessionId)
    this.#keepRecall(this.#folder.recall, 'compact')
    this.#started = spawned
    this.#folder.writeNote(this.#note(this.#started))
    void this.#begin(session, prompt, FIRST_MOMENTS[climbed.launch.kind], {
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

  /** What is in the transcript that goes on here the record may not have yet: the worker before may have died before it sent that. */
  #goesOnFrom({ conversation: { rung, sessionId } }: Climbed, place: Workplace): { transcriptBytes?: number } {
    return rung === 'native' ? transcriptBytes(this.#harness, this.#cliPlace(place), sessionId) : {}
  }

  #watch(spawned: GuardedProcess, talk: RunTalk, session: SessionId | null): RunSession {
    const { settings } = this.#context.options
    this.#session = new RunSession({
      process: spawned,
      harness: this.#harness,
      talk,
      sessionId: session,
      onStarted: (id) => this.#named(id),
      spool: this.#output.spool,
      onOutput: () => {
        this.#bringHooks()
        this.#output.wake()
      },
      onTurn: () => void this.#workCopies?.keep(),
      onClosing: () => {
        // While the CLI ends: its end then waits for nothing that was said before.
        this.#reporter.flush()
        this.#output.flush()
      },
      onPermission: (request) => void this.#questions.take(request),
      onDelivered: (uuid) => {
        if (this.#heard.has(uuid)) this.#reporter.input(uuid, 'delivered')
      },
      log: (kind, text) => this.#reporter.log(kind, text),
      keepError: (bytes) => this.#output.keepError(bytes),
      backgroundGraceMs: settings.backgroundGraceMs,
      still: this.#lease.still,
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
    // Refused, it is as if the process had not been reported.
    this.#reporter.report({ conversation }).then(
      () => this.#output.letGo(),
      (error: unknown) => this.#failBegin(error),
    )
  }

  /**
   * The prompt goes in only once the server knows of the process, and of its conversation where that has a name before.
   */
  async #begin(
    session: RunSession,
    prompt: Promise<string>,
    moment: RecallMoment,
    part: Pick<AttemptReport, 'conversation' | 'process'>,
  ): Promise<void> {
    try {
      await this.#reporter.report(part)
      // Before the CLI asks, which takes longer to start. A copy whose name is not known yet has no text of its own yet.
      if (part.conversation !== undefined || moment === 'startup')
        this.#keepRecall(join(this.#folder.run, `recall-${moment}.txt`), moment, `start-${moment}`)
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

  /** Writes down the run's reminder for a moment. @param answer  the name of a file with what its hook prints for it */
  #keepRecall(path: string, moment: RecallMoment, answer?: string): void {
    const { startAnswer } = this.#harness
    asWorker(this.#context, (client) => client.tasks.recall(this.taskId, { moment })).then(
      (text) => {
        this.#folder.write(path, text, { flush: false })
        if (answer !== undefined && startAnswer !== undefined)
          this.#folder.write(join(this.#folder.run, answer), startAnswer(text), { flush: false })
      },
      () => {},
    )
  }

  /** So long its transcript is now that nothing writes there any more. */
  #leaves(): { transcriptBytes?: number } {
    if (this.#climbed === null || this.#place === null || this.#process === null) return {}
    return transcriptBytes(this.#harness, this.#cliPlace(this.#place), this.#climbed.conversation.sessionId)
  }

  /** Before the end is reported: what comes after may build on it. */
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
    const isDelivered = !isLost && (await this.#output.drain())
    await this.#output.stop()
    this.#output.spool.close()
    // What it still sends lies in the folder.
    if (!isLost) await this.#workCopies?.settled
    if (isLost) {
      // A lost one is not reported any more, but the database may have been restored, and never have heard of it.
      const epoch = this.#epoch === null ? null : await this.#context.nextEpoch()
      // A server that was away may know nothing of the loss, and gives it again.
      if (this.#context.isBegunAgain(this.attemptId)) return
      if (epochsDiffer(this.#epoch, epoch)) tellKept(this.#context.options.log, this.attemptId, this.#folder.keep())
      // Where the worker ends before it hears, its next start finds out.
      else if (epoch === this.#epoch) this.#folder.remove()
    }
    // What is left the next start of the worker delivers.
    else if (isDelivered && this.#folder.readEnd() === null) this.#folder.remove()
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

  #note(running: Pick<GuardedProcess, 'pid' | 'startedAt' | 'guard'> | null): AttemptNote {
    return {
      attemptId: this.attemptId,
      taskId: this.taskId,
      worker: this.#context.options.name,
      process: running && { pid: running.pid, startedAt: running.startedAt },
      guard: running?.guard ?? null,
      epoch: this.#epoch,
    }
  }

  /**
   * Tries again while the server is away, until the attempt is halted. Also when it refused the token: a worker that tells the server what
   * it is now, as after its first look at the agent CLIs, gets a new one.
   */
  #persist<T>(work: () => Promise<T>): Promise<T> {
    return persist(() => asWorker(this.#context, work), this.#halted.signal)
  }
}
