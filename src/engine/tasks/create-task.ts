import { AppError } from '../../domain/errors'
import {
  type Address,
  type AgentKey,
  address,
  issueId,
  type PlanId,
  type SessionId,
  sessionId,
  type TaskId,
  taskId,
} from '../../domain/ids'
import { readShare, shareText } from '../../domain/task/placement/placement'
import { checkRemote } from '../../domain/task/repository'
import { DEFAULT_RETRY_POLICY } from '../../domain/task/task'
import { DEFAULT_TASK_PRIORITY, TASK_LIMITS } from '../../domain/task/task-limits'
import { restOf } from '../../domain/task/task-machine'
import type { AgentRow, NewTask, TaskRow } from '../../domain/task/task-store'
import { recordAct } from '../audit/record-act'
import { isOnline, lacking } from '../unit/agent-presence'
import { getAgent, getTask, quoted } from '../unit/find-task'
import {
  actingSession,
  callingAgent,
  checkCeiling,
  leaseLost,
  mayChoosePermissions,
  mayDependOn,
  mayMakeLead,
  mayNameIssue,
  mayPutBelow,
  mayWorkIn,
} from '../unit/rights'
import { newTaskId } from '../unit/secrets'
import { nameOf, type Unit } from '../unit/unit'
import {
  checkCapabilities,
  checkClis,
  checkDependencyCount,
  checkDir,
  checkPriority,
  checkRetryPolicy,
  checkRunSettings,
  checkTags,
  checkTask,
  checkText,
  checkTime,
  checkWord,
  titleOf,
} from './check-fields'
import { folderOfNew } from './folder'
import { dependencyFailed, isAtWork, moveTask } from './move-task'
import { makeOffer } from './offers'
import { checkSpawn, isSpawn, sameSpawn, takeTurn } from './spawn'
import type { CreateTask } from './task-inputs'

/** The fields of a new task that need no database, checked. */
export type CheckedTask = ReturnType<typeof checkNewTask>

/** @throws `invalid` `too_large` */
export function checkNewTask(input: CreateTask) {
  const worktree = input.worktree === true || input.repository !== undefined ? {} : input.worktree || null
  const base = typeof input.worktree === 'object' ? input.worktree.base : undefined
  if (input.repository !== undefined && input.dir !== undefined)
    throw new AppError(
      'invalid',
      'Name either a folder (--dir, or `dir`) or a repository (--repository, or `repository`), not both.',
      {
        hint: 'A task with a repository works in a worktree that its worker makes.',
      },
    )
  checkDependencyCount(input.dependsOn?.length ?? 0)
  checkText('sessionId', input.sessionId ?? '', TASK_LIMITS.word)
  checkText('spawnedBy.sessionId', input.spawnedBy?.sessionId ?? '', TASK_LIMITS.word)
  checkText('spawnedBy.toolUseId', input.spawnedBy?.toolUseId ?? '', TASK_LIMITS.word)
  return {
    text: checkTask(input.task),
    title: titleOf(input.title, input.task),
    priority: checkPriority(input.priority ?? DEFAULT_TASK_PRIORITY),
    tags: checkTags(input.tags ?? []),
    taskType: optional(input.taskType, (word) => checkWord('taskType', word)),
    dir: optional(input.dir, checkDir),
    repository: optional(input.repository, checkRemote),
    requiredCapabilities: checkCapabilities(input.requiredCapabilities ?? []),
    agentClis: checkClis(input.agentClis ?? []),
    notBefore: optional(input.notBefore, (iso) => checkTime('notBefore', iso)),
    ...checkRunSettings(input),
    retryPolicy: checkRetryPolicy(input.retryPolicy ?? {}, DEFAULT_RETRY_POLICY),
    isWorktree: worktree !== null,
    worktreeBase: optional(base, (word) => checkWord('worktree.base', word)),
  }
}

const optional = <Given, Kept>(value: Given | undefined, check: (value: Given) => Kept): Kept | null =>
  value === undefined ? null : check(value)

export interface MadeTask {
  task: TaskRow
  routed: string | null
  /** The same agent made it before, and it is not over. */
  isRepeat: boolean
}

/** A plan that the task is part of. Its tasks were checked together. */
export interface OfPlan {
  planId: PlanId
  planKey: string
}

/**
 * Makes a task, with its place, its links and its offer.
 *
 * @param ids  those of `input` as whole ids: what a person typed was looked up before the unit; `isParentGiven`: the caller was offered
 *             this parent by us, so that it may be any
 * @throws `not_found` an agent, dependency or issue · `invalid` · `too_large` · `lease_lost` the calling run is over
 */
export async function createTask(
  unit: Unit,
  input: CreateTask,
  checked: CheckedTask,
  ids: { parentTaskId: TaskId | null; dependsOn: TaskId[]; isParentGiven?: boolean },
  ofPlan?: OfPlan,
): Promise<MadeTask> {
  mayMakeLead(unit, checked.taskType)
  mayChoosePermissions(unit, input.permissionMode)
  if (input.agentId !== undefined && input.offeredTo !== undefined)
    throw new AppError('invalid', 'Pass either `agentId` or `offeredTo`, not both.', {
      hint: 'A task is either assigned or offered.',
    })
  const isAlone = ofPlan === undefined && isSpawn(unit, input)
  const above = isAlone ? await takeTurn(unit, input) : []
  const by = await makerOf(unit)
  const parentTaskId = ids.parentTaskId ?? by.taskId
  const parent = parentTaskId === null ? undefined : await unit.tasks.task(parentTaskId)
  if (ids.isParentGiven !== true) await mayPutBelow(unit, parent ?? null)
  await mayWorkIn(unit, checked)
  if (parent !== undefined && parent.depth >= TASK_LIMITS.depth)
    throw new AppError(
      'too_large',
      `Task ${parent.id} already has ${TASK_LIMITS.depth} levels of parents above it, the maximum.`,
      {
        details: { field: 'parentTaskId', limit: TASK_LIMITS.depth, unit: 'levels' },
      },
    )
  // What a run spawns is a task of its own, unless it says that it continues.
  const isRun = unit.caller.kind === 'attempt'
  const continuity = input.continuity ?? (parentTaskId !== null && !isRun ? 'continue' : 'fresh')
  const continues = parentTaskId !== null && continuity === 'continue'
  const session = input.sessionId ?? input.spawnedBy?.sessionId
  // What goes on in the parent's conversation stays in its CLI; what begins anew below it begins where the person let the parent begin.
  const inherited = (continues ? parent?.neededClis : parent?.agentClis) ?? []
  const agentClis = checked.agentClis.length === 0 && !continues ? inherited : checked.agentClis
  const clis = { agentClis, neededClis: agentClis.length === 0 ? inherited : agentClis }
  const placed = {
    ...checked,
    ...clis,
    dir: await folderOfNew(unit, input, { continues, parent, session }),
    // Where the parent's folder is not, its repository is.
    repository: checked.repository ?? (checked.dir === null ? (parent?.repository ?? null) : null),
  }
  const share = shareText({
    user: userOf(unit.caller) ?? readShare(parent?.share ?? null).user,
    project: placed.repository ?? placed.dir ?? '',
  })
  // Nobody reads at an id that no task has.
  const replyTo = await replyAddress(unit, input, parent?.id ?? null)
  const issue = input.issueId === undefined ? null : issueId(input.issueId)
  const specialist = await specialistOf(unit, input)
  if (isAlone) {
    const named = await namedAgent(unit, input)
    const draft = {
      ...placed,
      replyTo,
      parentTaskId,
      continuity,
      issueId: issue,
      specialistId: specialist?.id ?? null,
      named,
    }
    const same = await sameSpawn(unit, draft)
    if (same !== undefined) return { task: same, routed: null, isRepeat: true }
  }
  if (isAlone) await checkSpawn(unit, above, ids.dependsOn, 1)
  if (input.permissionMode !== undefined) {
    const named = input.agentId ?? input.offeredTo
    const agent = named === undefined || specialist !== null ? undefined : await getAgent(unit, named)
    await checkCeiling(unit, checked.permissionMode ?? null, agent)
  }
  await mayDependOn(unit, ids.dependsOn)
  const dependencies = await getDependencies(unit, ids.dependsOn)
  await checkIssues(unit, input)

  const isBusy = continues && input.continueNow !== true && parent !== undefined && (await isWriting(unit, parent))
  const route = await routeOf(unit, input, placed, specialist, continues ? { id: parentTaskId, row: parent } : null)
  const unmetCount = dependencies.filter(({ status }) => status !== 'completed').length
  const place = { agentKey: route.agent?.key ?? null, unmetCount, notBefore: checked.notBefore, waitingFor: null }
  const rest = restOf(place, unit.now, { isParentBusy: isBusy })
  const isShelved = input.status === 'backlog'

  const id = newTaskId(unit.random)
  const row: NewTask = {
    ...placed,
    ...rest,
    ...ofPlan,
    ...route.changes,
    share,
    attemptCount: 0,
    triesUsed: 0,
    lostCount: 0,
    specialistId: specialist?.id ?? null,
    model: checked.model ?? specialist?.model ?? null,
    ...(isShelved ? { status: 'backlog', waitingFor: null, notBefore: checked.notBefore } : {}),
    id,
    reason: '',
    source: input.source === undefined ? defaultSource(unit) : checkWord('source', input.source),
    agentKey: place.agentKey,
    assignedBy: route.assignedBy,
    creatorAgentKey: by.agentKey,
    parentTaskId,
    parentKey: parent?.key ?? null,
    depth: parent === undefined ? 0 : parent.depth + 1,
    continuity,
    continueNow: input.continueNow ?? false,
    onDependencyFailure: input.onDependencyFailure ?? 'fail',
    unmetCount,
    epicId: input.epicId === undefined ? null : issueId(input.epicId),
    issueId: issue,
    spawnedSessionId: by.sessionId ?? input.spawnedBy?.sessionId ?? null,
    spawnedToolUseId: input.spawnedBy?.toolUseId ?? null,
    sessionId: await askingSession(unit, input),
    replyTo,
    onChildDone: input.onChildDone ?? null,
  }
  row.reason = createdReason(unit, row, route.routed)
  const task = await insert(unit, row)
  if (task.permissionMode !== null) await recordPermission(unit, task)
  if (dependencies.length > 0)
    await unit.tasks.addDependencies(
      task.key,
      dependencies.map(({ key }) => key),
    )
  return { task: await settleNew(unit, task, dependencies, input), routed: route.routed, isRepeat: false }
}

/** The audit log's line of a task that runs with another permission mode than its worker's. */
export const recordPermission = (unit: Unit, { id, permissionMode }: TaskRow): Promise<void> =>
  recordAct(unit, 'task.permission', { target: id, detail: { permissionMode } })

async function insert(unit: Unit, row: NewTask): Promise<TaskRow> {
  const task = await unit.tasks.insertTask(row)
  const { id: taskId, status, reason, parentTaskId } = task
  const text = `created -> ${status}: ${reason}`
  await Promise.all([
    unit.feed('task.created', { taskId, status, reason, parentTaskId, by: nameOf(unit.caller) }),
    unit.tasks.appendLog(task.key, [{ at: unit.now, attempt: null, kind: 'move', text }]),
  ])
  return task
}

async function settleNew(unit: Unit, task: TaskRow, dependencies: TaskRow[], input: CreateTask): Promise<TaskRow> {
  const broken = dependencies.find(({ status }) => status === 'failed' || status === 'cancelled')
  if (broken !== undefined && task.onDependencyFailure === 'fail')
    return await moveTask(unit, task, dependencyFailed(broken))
  if (input.offeredTo === undefined) return task
  return await makeOffer(unit, task, await getAgent(unit, input.offeredTo), undefined)
}

/** The creator: the agent, and for a run its own task and conversation. */
const userOf = (caller: Unit['caller']): string | undefined => ('user' in caller ? caller.user?.name : undefined)

async function makerOf(unit: Unit): Promise<{
  agentKey: AgentKey | null
  taskId: TaskId | null
  sessionId: TaskRow['spawnedSessionId']
}> {
  const { caller } = unit
  const agent = await callingAgent(unit)
  if (caller.kind !== 'attempt') return { agentKey: agent?.key ?? null, taskId: null, sessionId: null }
  const attempt = await unit.tasks.attempt(caller.attemptId)
  if (attempt === undefined || attempt.endedAt !== null) throw leaseLost(`Attempt ${caller.attemptId} is over`)
  return { agentKey: agent?.key ?? null, taskId: taskId(caller.taskId), sessionId: actingSession(attempt) }
}

/**
 * The address that gets the task's result: the run that makes it, by its task; else the session that asked; else a lead; else the task
 * below which a person put it. Decided once: an address outlives processes and attempts.
 */
async function replyAddress(unit: Unit, input: CreateTask, parent: TaskId | null): Promise<Address | null> {
  const { caller } = unit
  if (caller.kind === 'attempt') return await unit.messages.addressOf(caller.taskId)
  const session = input.sessionId ?? input.spawnedBy?.sessionId
  if (session !== undefined) return await unit.messages.addressOf(session)
  if (caller.kind === 'agent' && caller.agentKind === 'lead') return address(caller.agentId)
  return parent === null ? null : address(parent)
}

/**
 * The conversation that asks for it, by its address. Only clients with the operator's token, and leads for them, speak for one.
 *
 * @throws `forbidden` a run or worker says that it is a session
 */
async function askingSession(unit: Unit, input: CreateTask): Promise<SessionId | null> {
  const { caller } = unit
  const isWorker = caller.kind === 'attempt' || (caller.kind === 'agent' && caller.agentKind === 'worker')
  if (isWorker && input.sessionId !== undefined)
    throw new AppError('forbidden', 'A run acts as its task and a worker as itself; neither can act as a session.', {
      hint: 'Omit sessionId: the caller receives the result of the task.',
    })
  const asked = input.sessionId ?? (isWorker ? undefined : input.spawnedBy?.sessionId)
  return asked === undefined ? null : sessionId(await unit.messages.addressOf(asked))
}

async function getDependencies(unit: Unit, ids: TaskId[]): Promise<TaskRow[]> {
  const found: TaskRow[] = []
  // In one order everywhere, so that two units that lock the same tasks do not wait for one another.
  for (const id of [...new Set(ids)].sort()) found.push(await getTask(unit, id))
  return found
}

/** @throws `not_found` */
export async function checkIssues(
  unit: Unit,
  input: { epicId?: string | null | undefined; issueId?: string | null | undefined },
): Promise<void> {
  if (input.epicId != null) {
    const epic = await unit.tasks.issue(issueId(input.epicId), 'epic')
    if (epic === undefined || !(await mayNameIssue(unit, epic.id)))
      throw new AppError('not_found', `There is no epic ${quoted(input.epicId)}.`, {
        hint: 'Run `lode epic list` to see all epics.',
      })
  }
  if (input.issueId == null) return
  const issue = await unit.tasks.issue(issueId(input.issueId))
  if (issue === undefined || !(await mayNameIssue(unit, issue.id)))
    throw new AppError(
      'not_found',
      `There is no issue ${quoted(input.issueId)}${unit.caller.kind === 'attempt' ? ' in the project of this run' : ''}.`,
      { hint: 'Run `lode issue list` to see all issues.' },
    )
}

async function isWriting(unit: Unit, parent: TaskRow): Promise<boolean> {
  if (parent.attemptCount === 0) return false
  return isAtWork(parent, (await unit.tasks.liveAttempt(parent.key)) !== undefined)
}

interface Route {
  agent: AgentRow | undefined
  assignedBy: TaskRow['assignedBy']
  /** For the creator, when we chose. */
  routed: string | null
  /** What the route means for the task beside its agent. */
  changes?: Pick<NewTask, 'requiredCapabilities'>
}

/** The named agent, where its runs have instructions of their own. */
async function specialistOf(unit: Unit, input: CreateTask): Promise<AgentRow | null> {
  if (input.agentId === undefined) return null
  const agent = await getAgent(unit, input.agentId)
  return agent.instructions === null ? null : agent
}

/** The agent that alone may take it; a specialist's tasks are anybody's. */
async function namedAgent(unit: Unit, input: CreateTask): Promise<AgentKey | null> {
  if (input.agentId === undefined) return null
  const agent = await getAgent(unit, input.agentId)
  return agent.instructions === null ? agent.key : null
}

/** The agent that a new task goes to: the named one, else that of the parent which it continues, else the pool. */
async function routeOf(
  unit: Unit,
  input: CreateTask,
  checked: Pick<TaskRow, 'requiredCapabilities' | 'neededClis'>,
  specialist: AgentRow | null,
  parent: { id: TaskId; row: TaskRow | undefined } | null,
): Promise<Route> {
  const pool = (routed: string | null): Route => ({ agent: undefined, assignedBy: null, routed })
  if (input.agentId !== undefined) {
    const agent = await getAgent(unit, input.agentId)
    checkCapable(agent, checked)
    // Nobody speaks for it now: its instructions go with the task, to any worker.
    if (specialist !== null && !isOnline(agent, unit.now))
      return { ...pool(`queued: any worker may run it as ${agent.name}`), changes: { requiredCapabilities: [] } }
    return { agent, assignedBy: 'caller', routed: null }
  }
  if (parent === null || input.offeredTo !== undefined) return pool(null)
  if (parent.row === undefined)
    return pool(`for any worker: the parent ${parent.id} is unknown, so the task starts fresh`)
  const agent = parent.row.agentKey === null ? undefined : await unit.tasks.agentByKey(parent.row.agentKey)
  if (agent === undefined) return pool('for any worker: no agent has the parent')
  if (!isOnline(agent, unit.now)) return pool(`for any worker: ${agent.name}, which has the parent, is away`)
  if (agent.drainingSince !== null)
    return pool(`for any worker: ${agent.name}, which has the parent, takes no new tasks`)
  const lacks = lacking(agent, checked)
  if (lacks.length > 0) return pool(`for any worker: ${agent.name}, which has the parent, lacks ${lacks.join(', ')}`)
  return {
    agent,
    assignedBy: 'affinity',
    routed: `to ${agent.kind} ${agent.name}, which has the parent's working directory`,
  }
}

/** @throws `conflict` */
export function checkCapable(agent: AgentRow, needed: Parameters<typeof lacking>[1]): void {
  const lacks = lacking(agent, needed)
  if (lacks.length > 0)
    throw new AppError('conflict', `${agent.name} lacks ${lacks.join(', ')}.`, {
      hint: 'Choose another agent, or require fewer capabilities.',
      details: { lacks },
    })
}

function createdReason(unit: Unit, row: NewTask, routed: string | null): string {
  const made = `created by ${nameOf(unit.caller)}`
  if (row.status === 'backlog') return `${made}; in the backlog`
  if (row.waitingFor === 'dependency') return `${made}; waits for its dependencies, ${row.unmetCount} unfinished`
  if (row.waitingFor === 'parent') return `${made}; waits for its parent ${row.parentTaskId}, which is in progress`
  if (row.notBefore != null) return `${made}; waits until ${new Date(row.notBefore).toISOString()}`
  if (routed !== null) return `${made}; ${routed}`
  return row.agentKey == null ? `${made}; queued` : `${made}; assigned by its creator`
}

const defaultSource = (unit: Unit): string => (unit.caller.kind === 'operator' ? 'api' : unit.caller.kind)
