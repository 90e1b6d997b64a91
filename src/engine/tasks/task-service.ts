import type { AgentDescription } from '../../domain/agent'
import { AppError, isAppError } from '../../domain/errors'
import {
  type AgentId,
  type AttemptId,
  agentId,
  attemptId,
  type IssueId,
  type PlanId,
  type QuestionId,
  questionId,
  sessionId,
  type TaskId,
  taskId,
} from '../../domain/ids'
import { LastRead } from '../../domain/last-read'
import type { Store } from '../../domain/store'
import type { LeadPolicy } from '../../domain/task/lead-answers'
import { checkRemote } from '../../domain/task/repository'
import type { Issue, SpawnLimits, Task } from '../../domain/task/task'
import { TASK_RANGES } from '../../domain/task/task-limits'
import type { AgentRow, TaskRow } from '../../domain/task/task-store'
import type { WorkCopyPart } from '../../domain/task/work-copy'
import type { Assignment, AttemptReport, Caller, JoinInput, PollInput } from '../../domain/task/worker-protocol'
import { MINUTE_MS } from '../../domain/time-units'
import type { UnitSubject } from '../../domain/unit-subject'
import { randomBytes } from '../../util/crypto'
import { recordSeen, shownAgent } from '../unit/agent-presence'
import type { TaskRef } from '../unit/find-task'
import { getAgent, getTask, quoted, resolveTask } from '../unit/find-task'
import { oncePerKey, repeatKey, scopeOf } from '../unit/repeat'
import { actingAgent, mayDirect, mayHold, mayLead, mayRelease, mayWorkOn } from '../unit/rights'
import { DEFAULT_LEASE, inWriteUnit, type LeaseSettings, type OwnHost, type TaskParts, type Unit } from '../unit/unit'
import { checkWhole, checkWord } from './check-fields'
import { checkNewTask, createTask } from './create-task'
import { type DroppedRows, dropOld, type KeptDays } from './drop-old'
import { checkEpic, createEpic } from './epics'
import { cancelTask, deployTask, pauseTask, releaseTask, resumeTask, retryTask } from './hold-task'
import { acceptOffer, makeOffer, rejectOffer } from './offers'
import { patchTask } from './patch-task'
import { createPlan, inherited, type PreparedTask, planProgress } from './plans/create-plan'
import { orderPlan } from './plans/plan-order'
import { answerQuestion, askQuestion } from './questions'
import { behindWhat } from './runs/behind'
import { describeAgent } from './runs/describe-agent'
import { assignmentOf, takeNext, takeThis } from './runs/dispatch'
import { drainMachine, resumeMachine } from './runs/drain-machine'
import { handleMail } from './runs/handle-mail'
import { joinAgent } from './runs/join-agent'
import { pollAgent } from './runs/poll-agent'
import { RecentCommands } from './runs/recent-commands'
import { reportedAttempt, requireLive, subjectOfReport, takeReport } from './runs/report-attempt'
import { Sweeper } from './runs/sweep'
import type {
  AskQuestion,
  CreatedPlan,
  CreatedTask,
  CreateEpic,
  CreatePlan,
  CreateTask,
  FinishTask,
  PatchTask,
  TaskInput,
} from './task-inputs'
import { TaskUnits } from './task-units'
import { addInput, finishTask, setConversation, setProgress } from './work-on-task'

export interface TaskServiceOptions {
  store: Store
  /** Milliseconds; default the unit's own time (the database's on PostgreSQL). */
  now?: () => number
  /** So many unpredictable bytes; default the system's. */
  random?: (bytes: number) => Uint8Array
  /** Folders that the server's own collector follows, and the id of its machine; default none. */
  followedRoots?: () => OwnHost
  /** Default: leases of 15 s, which another server may end. */
  lease?: LeaseSettings | undefined
  /** How far runs may spawn tasks; default `SPAWN_LIMITS`. */
  spawnLimits?: SpawnLimits | undefined
  /** Workers have a folder for tasks that name none; default no. */
  hasFolder?: boolean | undefined
  /** What leads may answer; default nothing. */
  leads?: LeadPolicy | undefined
}

/** How long a claim that nothing of ours runs lasts without a sign of life, unless it asks otherwise. */
export const CLAIM_LEASE_MS = 15 * MINUTE_MS

/** The use cases of tasks over a store. It holds no state of its own that anything depends on: several may run over one database. */
export function createTaskService(options: TaskServiceOptions): TaskService {
  const parts: TaskParts = {
    store: options.store,
    now: options.now,
    random: options.random ?? randomBytes,
    followedRoots: options.followedRoots ?? (() => ({ hostName: '', roots: [] })),
    lease: options.lease,
    handleMail,
    spawnLimits: options.spawnLimits,
    hasFolder: options.hasFolder,
    leads: options.leads,
  }
  return new TaskUseCases(parts)
}

class TaskUseCases {
  private readonly parts: TaskParts
  private readonly recentCommands = new RecentCommands()
  private readonly lease: LeaseSettings
  private readonly sweeper: Sweeper
  private readonly units: TaskUnits

  constructor(parts: TaskParts) {
    this.parts = parts
    this.sweeper = new Sweeper(parts)
    this.units = new TaskUnits(parts)
    this.lease = parts.lease ?? DEFAULT_LEASE
  }

  create(caller: Caller, input: CreateTask, idempotencyKey: string | null): Promise<CreatedTask> {
    return this.make(caller, 'tasks.create', input, idempotencyKey)
  }

  /** @throws `not_found` no such epic */
  async createInEpic(caller: Caller, epic: IssueId, input: CreateTask, key: string | null): Promise<CreatedTask> {
    if (input.epicId !== undefined && input.epicId !== epic)
      throw new AppError('invalid', `epicId is ${quoted(input.epicId)}, not the epic ${epic}.`)
    return await this.make(caller, 'epics.createTask', { ...input, epicId: epic }, key)
  }

  /** Each task begins fresh unless it asks to continue. @throws `invalid` a cycle, a key twice, one that is not there · `too_large` */
  async createPlan(caller: Caller, input: CreatePlan, key: string | null): Promise<CreatedPlan> {
    const ordered = orderPlan(input.tasks)
    const repeat = repeatKey(key, input)
    const prepared: PreparedTask[] = []
    for (const { task, after, others } of ordered.tasks) {
      const whole = { ...inherited(task, input), key: task.key }
      prepared.push({
        task,
        checked: checkNewTask(whole),
        after,
        others: await this.resolveAll(others),
        parentTaskId: whole.parentTaskId === undefined ? null : await this.parentId(whole.parentTaskId),
      })
    }
    return await this.units.run(caller, async (unit) => {
      const { answer, isRepeat } = await oncePerKey(unit, 'plans.create', repeat, async () => {
        const made = await createPlan(unit, input, prepared)
        return JSON.stringify([made.id, made.isRepeat])
      })
      const [id, wasThere] = JSON.parse(answer) as [PlanId, boolean]
      const row = await unit.tasks.plan(id)
      if (row === undefined) throw new Error(`Plan ${id} vanished.`)
      return { ...(await planProgress(unit, row)), isRepeat: isRepeat || wasThere }
    })
  }

  private async make(caller: Caller, route: string, input: CreateTask, key: string | null): Promise<CreatedTask> {
    const checked = checkNewTask(input)
    const repeat = repeatKey(key, input)
    const ids = {
      parentTaskId: input.parentTaskId === undefined ? null : await this.parentId(input.parentTaskId),
      dependsOn: await this.resolveAll(input.dependsOn ?? []),
    }
    const agents = [input.agentId].filter((id): id is AgentId => id?.startsWith('a-') === true)
    const about: UnitSubject = { agents, ...(repeat !== null && { answer: [scopeOf(caller, route), repeat.key] }) }
    return await this.units.run(
      caller,
      async (unit) => {
        let task: TaskRow | undefined
        const { answer, isRepeat } = await oncePerKey(unit, route, repeat, async () => {
          const made = await createTask(unit, input, checked, ids)
          task = made.task
          return JSON.stringify([made.task.id, made.routed, made.isRepeat])
        })
        const [id, routed, wasThere] = JSON.parse(answer) as [TaskId, string | null, boolean?]
        const more = { routed, isRepeat: isRepeat || wasThere === true }
        const { key: taskKey } = task ?? (await getTask(unit, id))
        return new LastRead(async () => ({ task: await unit.tasks.shown(taskKey), ...more }))
      },
      about,
    )
  }

  /** A parent may be unknown: the child then starts fresh and says so. The beginning of an id has to mean one, though. */
  private async parentId(ref: TaskRef): Promise<TaskId> {
    try {
      return await resolveTask(this.parts.store, ref)
    } catch (thrown) {
      if (!isAppError(thrown) || (thrown.code !== 'not_found' && thrown.code !== 'invalid')) throw thrown
      return taskId(checkWord('parentTaskId', ref))
    }
  }

  private async resolveAll(refs: TaskRef[]): Promise<TaskId[]> {
    const ids: TaskId[] = []
    for (const ref of refs) ids.push(await resolveTask(this.parts.store, ref))
    return ids
  }

  async createEpic(caller: Caller, input: CreateEpic, idempotencyKey: string | null): Promise<Issue> {
    const epic = checkEpic(input)
    const repeat = repeatKey(idempotencyKey, input)
    return await this.units.run(caller, async (unit) => {
      mayLead(unit, 'create an epic')
      const { answer } = await oncePerKey(unit, 'epics.create', repeat, async () =>
        JSON.stringify(await createEpic(unit, epic)),
      )
      return JSON.parse(answer) as Issue
    })
  }

  /** All or nothing. @throws `invalid` for a cycle in `dependsOn` */
  async patch(caller: Caller, ref: TaskRef, patch: PatchTask): Promise<Task> {
    const dependsOn = patch.dependsOn === undefined ? undefined : await this.resolveAll(patch.dependsOn)
    return await this.units.change(caller, ref, async (unit, task) => {
      await mayDirect(unit, task)
      await patchTask(unit, task, patch, dependsOn)
    })
  }

  cancel(caller: Caller, ref: TaskRef, input: { reason?: string | undefined }): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayDirect(unit, task)
      await cancelTask(unit, task, input.reason)
    })
  }

  pause(caller: Caller, ref: TaskRef, input: { reason?: string | undefined }): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayHold(unit, task)
      await pauseTask(unit, task, input.reason)
    })
  }

  /** The same session goes on. */
  resume(caller: Caller, ref: TaskRef): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayHold(unit, task)
      await resumeTask(unit, task)
    })
  }

  /** Starts its worker, or finds it again. @throws `conflict` it has ended */
  deploy(caller: Caller, ref: TaskRef): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayHold(unit, task)
      await deployTask(unit, task)
    })
  }

  /** Retries a failed or cancelled task: same id, new attempt; dependents that failed only because of it wait again. */
  retry(caller: Caller, ref: TaskRef, input: { reason?: string | undefined }): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayDirect(unit, task)
      await retryTask(unit, task, input.reason)
    })
  }

  /** `expiresInMs` default 30 minutes. */
  offer(caller: Caller, ref: TaskRef, input: { agentId: string; expiresInMs?: number | undefined }): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayDirect(unit, task)
      await makeOffer(unit, task, await getAgent(unit, input.agentId), input.expiresInMs)
    })
  }

  /** `agentId` is for an operator who answers for an agent; else the caller is the agent. */
  accept(caller: Caller, ref: TaskRef, input: { agentId?: string | undefined }): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await acceptOffer(unit, task, await actingAgent(unit, input.agentId))
    })
  }

  reject(
    caller: Caller,
    ref: TaskRef,
    input: { agentId?: string | undefined; reason?: string | undefined },
  ): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await rejectOffer(unit, task, await actingAgent(unit, input.agentId), input.reason)
    })
  }

  /** Gives up its assignment, or its live attempt, without an outcome: back to where others may take it. */
  release(caller: Caller, ref: TaskRef, input: { reason?: string | undefined }): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayRelease(unit, task)
      await releaseTask(unit, task, input.reason)
    })
  }

  progress(caller: Caller, ref: TaskRef, input: { progress: string }): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayWorkOn(unit, task)
      await setProgress(unit, task, input.progress)
    })
  }

  /** The first final state wins; the same again is answered as before, another gets `conflict`. */
  finish(caller: Caller, ref: TaskRef, input: FinishTask): Promise<Task> {
    return this.units.change(caller, ref, async (unit, task) => {
      await mayWorkOn(unit, task)
      await finishTask(unit, task, input)
    })
  }

  /** From an attempt: its conversation. From an operator: the conversation that the next attempt resumes. @throws `invalid` no uuid */
  setConversation(caller: Caller, ref: TaskRef, claudeSessionId: string): Promise<Task> {
    const set = async (unit: Unit, task: TaskRow): Promise<void> => {
      await mayWorkOn(unit, task)
      await setConversation(unit, task, claudeSessionId)
    }
    return this.units.change(caller, ref, set, { session: sessionId(claudeSessionId) })
  }

  /** Says something to the running attempt. */
  async input(caller: Caller, ref: TaskRef, input: TaskInput): Promise<{ uuid: string }> {
    return await this.units.withTask(ref, (id) =>
      this.units.run(caller, async (unit) => {
        const task = await getTask(unit, id)
        await mayDirect(unit, task)
        return { uuid: await addInput(unit, task, input) }
      }),
    )
  }

  /** Takes this very task, or with `id` null the next one; `null` when there is none. `leaseMs`: see `TASK_RANGES`. */
  async claim(
    caller: Caller,
    ref: TaskRef | null,
    input: { agentId?: string | undefined; leaseMs?: number | undefined },
  ) {
    const leaseMs = checkWhole('leaseMs', input.leaseMs ?? CLAIM_LEASE_MS, TASK_RANGES.claimLeaseMs)
    const opening = { bootId: null, leaseMs }
    const isOwn = ref === null && caller.kind === 'agent'
    return await this.units.withTask(ref, (id) =>
      this.units.run(
        caller,
        async (unit) => {
          const agent = await actingAgent(unit, input.agentId)
          await recordSeen(unit, agent)
          const taken =
            id === null
              ? await takeNext(unit, agent, opening, false)
              : await takeThis(unit, await getTask(unit, id), agent, opening)
          return taken === undefined ? null : new LastRead<Assignment | null>(() => assignmentOf(unit, taken))
        },
        isOwn ? { claim: caller.agentId, agents: [caller.agentId] } : undefined,
      ),
    )
  }

  join(caller: Caller, input: JoinInput) {
    return this.units.run(caller, (unit) => joinAgent(unit, this.parts, input))
  }

  /** Makes an agent whose runs get instructions of their own, or changes what describes one. @throws `conflict` it is a lead */
  describeAgent(caller: Caller, name: string, input: AgentDescription) {
    return this.units.run(caller, async (unit) => await this.agentShown(unit, await describeAgent(unit, name, input)))
  }

  /** Behind what a task is queued; see `behindWhat`. @throws `not_found` */
  behind(caller: Caller, id: TaskId): Promise<string | null> {
    return this.units.run(caller, async (unit) => await behindWhat(unit, await getTask(unit, taskId(id))))
  }

  /** It takes nothing new. @throws `not_found` */
  drainMachine(caller: Caller, name: string) {
    return this.units.run(caller, async (unit) => await this.agentShown(unit, await drainMachine(unit, name)))
  }

  /** It takes tasks again. @throws `not_found` */
  resumeMachine(caller: Caller, name: string) {
    return this.units.run(caller, async (unit) => await this.agentShown(unit, await resumeMachine(unit, name)))
  }

  private async agentShown(unit: Unit, agent: AgentRow) {
    return shownAgent(agent, (await unit.tasks.liveAttempts(agent.id)).length, unit.now)
  }

  /** Renews leases, takes what there is to take, hands out commands. Never waits: the API does, and asks again when the feed moves. */
  poll(caller: Caller, agent: AgentId, input: PollInput) {
    return this.units.run(
      caller,
      (unit) => pollAgent(unit, agentId(agent), input, { recentCommands: this.recentCommands, lease: this.lease }),
      { isLong: true },
    )
  }

  /** @throws `lease_lost` */
  report(caller: Caller, id: AttemptId, report: AttemptReport) {
    return this.units.run(
      caller,
      async (unit) => {
        const [task, attempt] = await reportedAttempt(unit, attemptId(id))
        return await takeReport(unit, task, attempt, report)
      },
      subjectOfReport(caller, attemptId(id), report),
    )
  }

  /** @param part  its bytes in base64: arguments are JSON values. @returns bytes that are kept: where the next part begins */
  keepWorkCopy(caller: Caller, id: AttemptId, part: Omit<WorkCopyPart, 'bytes'> & { base64: string }) {
    return inWriteUnit(this.parts, caller, async (unit, tx) => {
      const [task, attempt] = await reportedAttempt(unit, attemptId(id))
      const { base64, ...rest } = part
      const bytes = Uint8Array.fromBase64(base64)
      return await tx.workCopies.append(task.key, attempt.number, { ...rest, bytes, remote: checkRemote(part.remote) })
    })
  }

  /** Asks and gives the question; its answer comes as a command. @throws `lease_lost` */
  ask(caller: Caller, id: AttemptId, input: AskQuestion) {
    return this.units.run(caller, async (unit) => {
      const [task, attempt] = await reportedAttempt(unit, attemptId(id))
      requireLive(task, attempt)
      return await askQuestion(unit, task, attempt, input)
    })
  }

  async answer(
    caller: Caller,
    id: QuestionId,
    input: { behavior: 'allow' | 'deny'; message?: string | undefined; isAlways?: boolean },
  ) {
    await this.units.run(caller, (unit) => answerQuestion(unit, questionId(id), input))
    const question = await this.parts.store.tasks.findQuestion(questionId(id))
    if (question === undefined) throw new AppError('not_found', `There is no question ${quoted(id)}.`)
    return question
  }

  /**
   * Everything that happens because time passed: leases, due tasks, offers, questions, agents that are gone. A server calls it
   * every second; commands without a server before they read. Leases run only while somebody swept: after a longer gap
   * (restart, sleep, clock jump) every live one gets a full lease first.
   */
  sweep() {
    return this.sweeper.sweep()
  }

  /** Removes what is older than this many days. */
  dropOld(kept: KeptDays): Promise<DroppedRows> {
    return dropOld(this.parts.store, kept)
  }

  /** The one server of an embedded database calls it at its start, before it sweeps. */
  renewAll() {
    return this.sweeper.renewAll()
  }
}

/**
 * Every use case that writes tasks. Each is one unit of work: rows and their feed entries commit together. Arguments and answers
 * are JSON values, so that a server may put this behind a thread.
 *
 * Ids may be a unique beginning of four characters or more wherever a person could have typed them (`TaskRef`).
 *
 * Errors all methods may throw: `not_found` (with the nearest ids), `conflict` (the state does not allow it; `details.status`),
 * `invalid`, `too_large`, `forbidden` (the caller may not do this to this task), `lease_lost` (the caller's attempt is over).
 */
export type TaskService = Pick<TaskUseCases, keyof TaskUseCases>
