import { type AgentKey, address, type TaskId, type TaskKey } from '../../src/domain/ids'
import type { TaskStatus } from '../../src/domain/task/task'
import type { TaskRow } from '../../src/domain/task/task-store'
import type { Assignment, Caller } from '../../src/domain/task/worker-protocol'
import type { MessageService } from '../../src/engine/messages/message-service'
import { createMessageService } from '../../src/engine/messages/message-service'
import { type Crew, callerOf, type Member, OPERATOR } from './crew'
import type { Step } from './random-steps'

const CAPABILITIES = [[], ['a'], ['a', 'b']]
/** What each agent can do; the first can do everything. */
const ABLE = [['a', 'b'], ['a'], [], ['a', 'b']]

type Direct = 'cancel' | 'pause' | 'resume' | 'retry' | 'release' | 'shelve' | 'queue' | 'unassign'

/** Codes that a refused operation may end with. Anything else is a bug. */
const REFUSALS = new Set(['conflict', 'lease_lost', 'forbidden', 'invalid'])

/** One run: what was made, the agents in it, and what must hold. */
export class World {
  readonly crew: Crew
  readonly prefix: string
  readonly tasks: TaskId[] = []
  agents: Member[] = []
  /** Attempts that somebody was given, live or not. */
  readonly given: { worker: Member; assignment: Assignment }[] = []
  /** Agents that rejected a task and were not assigned to it since. */
  readonly rejected = new Set<string>()
  private readonly messages: MessageService
  private before = new Map<TaskId, TaskRow>()
  private logSeen = new Map<TaskId, number>()
  private feedSeen = 0

  constructor(crew: Crew, prefix: string) {
    this.crew = crew
    this.prefix = prefix
    this.messages = createMessageService({ store: crew.store, now: () => crew.now })
  }

  async begin(): Promise<void> {
    await this.crew.service.sweep()
    for (const index of ABLE.keys()) this.agents.push(await this.join(index, true))
    this.feedSeen = Number(await this.crew.store.feed.head())
  }

  private join(index: number, isFormerGone: boolean): Promise<Member> {
    // A word of its own keeps the agents of one run from the tasks of another.
    const capabilities = [this.prefix, ...(ABLE[index] ?? [])]
    return this.crew.worker(`${this.prefix}-${index}`, {
      capabilities,
      isFormerGone,
      concurrency: 5,
      bootId: `${this.prefix}-${crypto.randomUUID()}`,
    })
  }

  /** Does one step; an operation that is refused must leave everything as it was. */
  async run(step: Step): Promise<void> {
    let isRefused = false
    try {
      await this.perform(step)
    } catch (thrown) {
      const { code } = thrown as { code?: string }
      if (code === undefined || !REFUSALS.has(code)) throw thrown
      isRefused = true
    }
    await this.check(isRefused)
  }

  private async perform(step: Step): Promise<void> {
    const { service } = this.crew
    switch (step.do) {
      case 'create':
        return await this.create(step)
      case 'poll':
        return await this.poll(this.member(step.agent), step.capacity, step.forgets)
      case 'claim': {
        const worker = this.member(step.agent)
        const assignment = await service.claim(worker.caller, this.id(step.task), { leaseMs: 20_000 })
        if (assignment) this.note(worker, assignment)
        return
      }
      case 'end': {
        const one = this.pick(step.held)
        if (!one) return
        await one.worker.end(one.assignment, step.outcome, {
          failureClass: step.outcome === 'completed' ? null : step.failureClass,
        })
        return
      }
      case 'finish': {
        const one = this.pick(step.held)
        if (!one) return
        const { task } = one.assignment
        const finished = await service.finish(callerOf(one.assignment, one.worker), task.id, { status: step.status })
        if (finished.status !== this.before.get(task.id)?.status) this.mustHold(one.assignment)
        return
      }
      case 'write': {
        const one = this.pick(step.held)
        if (!one) return
        const mine = callerOf(one.assignment, one.worker)
        await service.setConversation(mine, one.assignment.task.id, crypto.randomUUID())
        await service.progress(mine, one.assignment.task.id, { progress: 'on' })
        this.mustHold(one.assignment)
        return
      }
      case 'offer': {
        await service.offer(OPERATOR, this.id(step.task), { agentId: this.member(step.agent).id, expiresInMs: 40_000 })
        return await this.answerNow(step)
      }
      case 'accept':
      case 'reject':
        return await this.answer(step.do, this.id(step.task), this.member(step.agent))
      case 'assign': {
        const to = this.member(step.agent)
        await service.patch(OPERATOR, this.id(step.task), { agentId: to.id })
        this.rejected.delete(`${this.id(step.task)} ${to.id}`)
        return
      }
      case 'depend':
        await service.patch(OPERATOR, this.id(step.task), { dependsOn: step.on.map((n) => this.id(n)) })
        return
      case 'pass':
        return await this.crew.pass(step.seconds * 1_000)
      case 'outage':
        this.crew.now += step.seconds * 1_000
        await service.sweep()
        return
      case 'restart':
        this.agents[step.agent] = await this.join(step.agent, step.isFormerGone)
        return
      default:
        return await this.direct(step)
    }
  }

  /** What was written must have been written by the attempt that held the task. */
  private mustHold({ task, generation, attemptId }: Assignment): void {
    const row = this.before.get(task.id)
    if (row?.status !== 'in_progress' || row.attemptCount !== generation)
      throw new Error(`${attemptId} wrote, and ${task.id} was ${row?.status} with ${row?.attemptCount} attempts`)
  }

  private async create(step: Step & { do: 'create' }): Promise<void> {
    const parent = step.parent < this.tasks.length ? this.tasks[step.parent] : undefined
    const made = await this.crew.create(
      {
        requiredCapabilities: [this.prefix, ...(CAPABILITIES[step.caps] ?? [])],
        dependsOn: this.tasks.length === 0 ? [] : step.on.map((n) => this.id(n)),
        onDependencyFailure: step.wait ? 'wait' : 'fail',
        ...(parent ? { parentTaskId: parent, continuity: step.continues ? 'continue' : 'fresh' } : {}),
        ...(step.agent < ABLE.length ? { agentId: this.member(step.agent).id } : {}),
        ...(step.late ? { notBefore: new Date(this.crew.now + 5_000).toISOString() } : {}),
      },
      this.caller(step.by),
    )
    this.tasks.push(made.id)
  }

  private async poll(worker: Member, capacity: number, forgets: boolean): Promise<void> {
    const { assignments } = await worker.poll({ capacity })
    for (const assignment of assignments) this.note(worker, assignment)
    if (forgets) worker.held.clear()
  }

  private async answer(how: 'accept' | 'reject', id: TaskId, worker: Member): Promise<void> {
    await this.crew.service[how](worker.caller, id, {})
    if (how === 'reject') this.rejected.add(`${id} ${worker.id}`)
  }

  /** An offer that stands is always accepted or rejected without a refusal. */
  private async answerNow(step: { task: number; agent: number }): Promise<void> {
    const [id, worker] = [this.id(step.task), this.member(step.agent)]
    if ((step.task + step.agent) % 4 < 2) return
    const how = (step.task + step.agent) % 4 === 2 ? 'accept' : 'reject'
    try {
      await this.answer(how, id, worker)
    } catch (thrown) {
      throw new Error(`a standing offer could not be answered: ${how}`, { cause: thrown })
    }
  }

  private async direct(step: Step & { do: Direct }): Promise<void> {
    const { service } = this.crew
    const caller = this.caller(step.by)
    const id = this.id(step.task)
    if (step.do === 'shelve') await service.patch(caller, id, { status: 'backlog' })
    else if (step.do === 'queue') await service.patch(caller, id, { status: 'unassigned' })
    else if (step.do === 'unassign') await service.patch(caller, id, { agentId: null })
    else if (step.do === 'resume') await service.resume(caller, id)
    else if (step.do === 'retry') await this.retry(caller, id)
    else await service[step.do](caller, id, {})
  }

  private async retry(caller: Caller, id: TaskId): Promise<void> {
    const failed = await this.rows('failed')
    await this.crew.service.retry(caller, id, {})
    const now = await this.rows('failed')
    for (const one of now) if (!failed.has(one)) throw new Error(`a retry of ${id} failed ${one}`)
  }

  private note(worker: Member, assignment: Assignment): void {
    if (this.rejected.has(`${assignment.task.id} ${worker.id}`))
      throw new Error(`${worker.name} was given what it rejected`)
    this.given.push({ worker, assignment })
    worker.held.set(assignment.attemptId, assignment)
  }

  /** Mostly one of the newest: the others have ended. */
  private id(n: number): TaskId {
    const near = Math.min(this.tasks.length, n < 20 ? 6 : 30)
    const id = this.tasks[this.tasks.length - 1 - (n % Math.max(1, near))]
    if (id === undefined) throw Object.assign(new Error('no task yet'), { code: 'invalid' })
    return id
  }

  private pick(n: number) {
    return this.given.length === 0 ? undefined : this.given[this.given.length - 1 - (n % this.given.length)]
  }

  private member(n: number): Member {
    const worker = this.agents[n % this.agents.length]
    if (worker === undefined) throw new Error('no agent')
    return worker
  }

  /** The operator, one of the agents, or one of the runs. */
  private caller(n: number): Caller {
    if (n < 3) return OPERATOR
    if (n < 5) return this.member(n).caller
    const one = this.pick(n)
    return one === undefined ? OPERATOR : callerOf(one.assignment, one.worker)
  }

  private async rows(status: TaskStatus): Promise<Set<TaskId>> {
    const all = await this.all()
    return new Set([...all.values()].filter(({ row }) => row.status === status).map(({ row }) => row.id))
  }

  private all() {
    return this.crew.store.write(async (tx) => {
      const all = new Map<
        TaskId,
        {
          row: TaskRow
          live: number
          on: { key: TaskKey; status: TaskStatus }[]
          agent: AgentKey | null
          isOffered: boolean
        }
      >()
      for (const id of this.tasks) {
        const row = await tx.tasks.task(id)
        if (row === undefined) throw new Error(`${id} is gone`)
        const live = await tx.tasks.liveAttempt(row.key)
        const on = await tx.tasks.dependencies(row.key)
        const isOffered = (await tx.tasks.offer(row.key)) !== undefined
        all.set(id, { row, live: live === undefined ? 0 : 1, on, agent: live?.agentKey ?? null, isOffered })
      }
      return all
    })
  }

  /** Everything that must hold, whatever was done. */
  async check(isRefused: boolean): Promise<void> {
    const all = await this.all()
    const moves = await this.newMoves()
    for (const [id, { row, live, on, agent: holder, isOffered }] of all) {
      const before = this.before.get(id)
      const where = `${id} (${row.status}, waits for ${row.waitingFor ?? 'nothing'})`
      const must = (holds: boolean, what: string): void => {
        if (!holds) throw new Error(`${where}: ${what}`)
      }
      must(row.status !== 'in_progress' || live === 1, 'is in progress without an attempt')
      must(row.status !== 'in_progress' || holder === row.agentKey, 'is held by another agent than its own')
      const unmet = on.filter(({ status }) => status !== 'completed').length
      const isFinal = ENDED.has(row.status)
      must(isFinal || row.unmetCount === unmet, `counts ${row.unmetCount} unmet dependencies of ${unmet}`)
      must(row.status !== 'in_progress' || unmet === 0, 'is in progress before what it depends on')
      must(row.status !== 'unassigned' || (unmet === 0 && row.agentKey === null), 'is in the pool and is not free')
      const hasBroken = on.some(({ status }) => status === 'failed' || status === 'cancelled')
      must(
        !hasBroken || row.onDependencyFailure === 'wait' || isFinal || this.wasRetried(before, row),
        'waits for what failed',
      )
      must(row.status !== 'pending' || row.agentKey !== null || row.waitingFor !== null, 'waits for nothing and nobody')
      must(!isOffered || row.status === 'unassigned' || row.status === 'pending', 'is still offered')
      must(row.attemptCount >= (before?.attemptCount ?? 0), 'lost attempts')
      if (before !== undefined) this.checkMove(before, row, moves.get(id) ?? [], must)
      if (isRefused && before !== undefined)
        must(JSON.stringify(before) === JSON.stringify(row), 'changed by what was refused')
      this.before.set(id, row)
    }
  }

  /** A task that is tried again before what it depends on waits for that. */
  private retried = new Set<TaskId>()
  private wasRetried(before: TaskRow | undefined, row: TaskRow): boolean {
    if (before !== undefined && (before.status === 'failed' || before.status === 'cancelled')) this.retried.add(row.id)
    return this.retried.has(row.id)
  }

  private checkMove(before: TaskRow, row: TaskRow, moves: Moved[], must: (holds: boolean, what: string) => void): void {
    if (before.status === 'completed') must(row.status === 'completed', 'left completed')
    if (before.status !== row.status) must(moves.length > 0, `went from ${before.status} without a move in the feed`)
    let at = before.status as string
    for (const { from, to, reason } of moves) {
      must(from === at, `moved from ${from} in the feed when it was ${at}`)
      must(reason.length > 0, 'moved without a reason')
      const isBack = from === 'failed' || from === 'cancelled'
      if (isBack) must(/tried again/.test(reason), `left ${from} without a retry: ${reason}`)
      at = to
    }
    must(at === row.status, `is ${row.status}, and the feed says ${at}`)
  }

  /** Everything written so far has its number in the feed: PostgreSQL's are given after the commit. */
  private async numbered(): Promise<void> {
    const mark = crypto.randomUUID()
    const { feed } = this.crew.store
    let wake = (): void => {}
    const stop = feed.onChange(() => wake())
    await this.crew.store.write((tx) => tx.appendFeed('session.updated', null, { mark }))
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const head = Number(await feed.head())
      const newest = await feed.after(Math.max(0, head - 50) as never, 50)
      if (newest.some(({ data }) => data.mark === mark)) break
      await woken
    }
    stop()
  }

  private async newMoves(): Promise<Map<TaskId, Moved[]>> {
    await this.numbered()
    const moves = new Map<TaskId, Moved[]>()
    const logged = new Map<TaskId, number>()
    for (;;) {
      const entries = await this.crew.store.feed.after(this.feedSeen as never, 1_000)
      for (const entry of entries) {
        this.feedSeen = Number(entry.seq)
        if (entry.kind !== 'task.moved') continue
        const data = entry.data as unknown as Moved & { taskId: TaskId }
        moves.set(data.taskId, [...(moves.get(data.taskId) ?? []), data])
      }
      if (entries.length < 1_000) break
    }
    for (const [id, made] of moves) {
      if (!this.tasks.includes(id)) continue
      const lines = await this.crew.store.tasks.log(id, this.logSeen.get(id) ?? 0, 1_000)
      this.logSeen.set(id, lines.at(-1)?.id ?? this.logSeen.get(id) ?? 0)
      logged.set(id, lines.filter(({ kind, text }) => kind === 'move' && text.includes(' -> ')).length)
      const born = lines.some(({ text }) => text.startsWith('created -> ')) ? 1 : 0
      if ((logged.get(id) ?? 0) - born < made.length)
        throw new Error(`${id} moved ${made.length} times, and its log tells of ${logged.get(id)}`)
    }
    return moves
  }

  /** Whatever happened: when everybody is there and everything is let go, every task is taken that may be taken. */
  async drain(): Promise<void> {
    for (const index of ABLE.keys()) this.agents[index] = await this.join(index, true)
    for (let turn = 0; turn < 400; turn++) {
      for (const id of this.tasks) {
        const task = await this.crew.task(id)
        if (task.status === 'paused') await this.crew.service.resume(OPERATOR, id)
        if (task.status === 'backlog') await this.crew.service.patch(OPERATOR, id, { status: 'unassigned' })
      }
      for (const worker of this.agents) {
        const { assignments } = await worker.poll({ capacity: 5 })
        for (const assignment of assignments) this.note(worker, assignment)
        for (const assignment of worker.held.values()) {
          // As each real run does: what comes for the task later goes on in this conversation.
          if (assignment.conversation.kind !== 'own') await worker.converse(assignment)
          await this.readMail(assignment)
          await worker.end(assignment, 'completed')
        }
      }
      await this.bringBack()
      await this.crew.pass(1_000)
      if (turn % 20 === 0) await this.crew.pass(3_000)
      if ((await this.starving()).length === 0) return
    }
    const starved = (await this.starving()).map((row) => `${row.id} ${row.status}: ${row.reason}`)
    throw new Error(`starved: ${starved.join('; ')}`)
  }

  /** The run has read what was given to it. */
  private async readMail({ attemptId }: Assignment): Promise<void> {
    const { rows } = await this.crew.store.messages.list({ target: attemptId, statuses: ['queued'] }, { limit: 100 })
    for (const { to, id } of rows) await this.messages.acknowledge(OPERATOR, to, [id])
  }

  /** What was given to runs that are over, and not read, is there again: so a server finds out from their transcripts. */
  private async bringBack(): Promise<void> {
    const flights = await this.messages.flights()
    const live = new Set<string>(this.agents.flatMap((worker) => [...worker.held.keys()]))
    await this.messages.settle(flights.filter(({ target }) => !live.has(target)))
  }

  /** Tasks that have not ended and wait neither for what failed nor for an agent that did not reject them. */
  private async starving(): Promise<TaskRow[]> {
    const all = await this.all()
    const stuck = new Set<TaskKey>()
    const below = (row: TaskRow): TaskRow[] =>
      [...all.values()]
        .map((one) => one.row)
        .filter(({ replyTo, creatorAgentKey }) => creatorAgentKey !== null && replyTo === address(row.id))
        .filter(({ status }) => !ENDED.has(status))
    const mayWait = (row: TaskRow, on: { key: TaskKey; status: TaskStatus }[]): boolean =>
      (row.waitingFor === 'children' && below(row).every(({ key }) => stuck.has(key))) ||
      on.some(({ key, status }) => status === 'failed' || status === 'cancelled' || stuck.has(key)) ||
      (row.status === 'unassigned' && this.able(row).every((worker) => this.rejected.has(`${row.id} ${worker.id}`)))
    for (let size = -1; size < stuck.size; ) {
      size = stuck.size
      for (const { row, on } of all.values()) if (!ENDED.has(row.status) && mayWait(row, on)) stuck.add(row.key)
    }
    return [...all.values()].map(({ row }) => row).filter(({ status, key }) => !ENDED.has(status) && !stuck.has(key))
  }

  private able(row: TaskRow): Member[] {
    return this.agents.filter((_, index) =>
      row.requiredCapabilities.every((need) => need === this.prefix || ABLE[index]?.includes(need)),
    )
  }
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

interface Moved {
  from: string
  to: string
  reason: string
}
