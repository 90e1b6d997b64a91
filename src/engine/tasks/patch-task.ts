import { AppError } from '../../domain/errors'
import { issueId, type TaskId } from '../../domain/ids'
import { neededClis } from '../../domain/task/agent-choice'
import { checkRemote } from '../../domain/task/repository'
import { isFinal } from '../../domain/task/task'
import type { TaskPatch, TaskRow } from '../../domain/task/task-store'
import { lacking } from '../unit/agent-presence'
import { getAgent, getTask } from '../unit/find-task'
import { checkCeiling, mayChoosePermissions, mayMakeLead, mayWorkIn } from '../unit/rights'
import { agentOf, publishUpdate, type Unit } from '../unit/unit'
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
  checkTime,
  checkWord,
  titleOf,
} from './check-fields'
import { checkCapable, checkIssues, recordPermission } from './create-task'
import { dependencyFailed, isParentBusy, moveTask, wakeChildren } from './move-task'
import { assignTask } from './offers'
import { freeAffine } from './runs/join-agent'
import type { PatchTask } from './task-inputs'

/** Fields that are settled once an attempt has begun: the agent would not hear of it. */
const SETTLED = [
  'task',
  'dir',
  'repository',
  'agentId',
  'requiredCapabilities',
  'agentClis',
  'dependsOn',
  'notBefore',
  'status',
  'continueNow',
] as const

/**
 * Changes fields of a task that has not ended: all or nothing.
 *
 * @param dependsOn  `patch.dependsOn` as whole ids
 * @throws `conflict` it has ended, or is in progress and the field is settled · `invalid` a cycle · `not_found` · `too_large`
 */
export async function patchTask(
  unit: Unit,
  before: TaskRow,
  patch: PatchTask,
  dependsOn: TaskId[] | undefined,
): Promise<TaskRow> {
  const fields = Object.keys(patch).filter((name) => patch[name as keyof PatchTask] !== undefined)
  if (fields.length === 0) return before
  mayChange(before, patch)
  if (patch.taskType !== undefined) mayMakeLead(unit, patch.taskType)
  mayChoosePermissions(unit, patch.permissionMode)
  if (patch.permissionMode != null) await checkCeiling(unit, patch.permissionMode, await agentOf(unit, before.agentKey))
  await mayWorkIn(unit, { dir: patch.dir ?? null, repository: patch.repository ?? null })
  await checkIssues(unit, patch)
  const simple = simplePatch(before, patch)
  if (Object.keys(simple).length > 0) await unit.tasks.updateTask(before.key, simple)
  let task: TaskRow = { ...before, ...simple }
  if (task.permissionMode !== before.permissionMode) await recordPermission(unit, task)
  if (patch.requiredCapabilities !== undefined || patch.agentClis !== undefined)
    task = await keepOwner(unit, task, patch)
  if (patch.agentId !== undefined) task = await assign(unit, task, patch.agentId)
  if (patch.status !== undefined) task = await shelveOrQueue(unit, task, patch.status)
  if (dependsOn !== undefined) task = await changeDependencies(unit, task, dependsOn)
  if (patch.notBefore !== undefined || patch.continueNow !== undefined) task = await placeAgain(unit, task, 'changed')
  await publishUpdate(unit, task, { fields })
  return task
}

function mayChange(task: TaskRow, patch: PatchTask): void {
  const details = { taskId: task.id, status: task.status }
  if (isFinal(task.status))
    throw new AppError('conflict', `Task ${task.id} is ${task.status} and can't be changed.`, {
      ...(task.status === 'completed' ? {} : { hint: 'Retry it first.' }),
      details,
    })
  if (task.status !== 'in_progress') return
  const settled = SETTLED.filter((name) => patch[name] !== undefined)
  if (settled.length > 0)
    throw new AppError('conflict', `Task ${task.id} is in progress: ${settled.join(', ')} can't be changed now.`, {
      hint:
        settled[0] === 'task'
          ? 'Send the text to the running agent with `lode task input`.'
          : 'Pause or release it first.',
      details: { ...details, fields: settled },
    })
}

function simplePatch(task: TaskRow, patch: PatchTask): TaskPatch {
  const changed: TaskPatch = {}
  if (patch.task !== undefined) changed.text = checkTask(patch.task)
  if (patch.title !== undefined) changed.title = titleOf(patch.title, patch.task ?? task.text)
  if (patch.priority !== undefined) changed.priority = checkPriority(patch.priority)
  if (patch.tags !== undefined) changed.tags = checkTags(patch.tags)
  if (patch.taskType !== undefined) changed.taskType = nullable(patch.taskType, (word) => checkWord('taskType', word))
  if (patch.dir !== undefined) changed.dir = nullable(patch.dir, checkDir)
  if (patch.repository !== undefined) changed.repository = nullable(patch.repository, checkRemote)
  if (patch.requiredCapabilities !== undefined)
    changed.requiredCapabilities = checkCapabilities(patch.requiredCapabilities)
  if (patch.agentClis !== undefined) {
    changed.agentClis = checkClis(patch.agentClis)
    const holding = task.neededClis.length === 1 && task.attemptCount > 0 ? (task.neededClis[0] ?? null) : null
    changed.neededClis = neededClis(changed.agentClis, holding)
  }
  if (patch.onDependencyFailure !== undefined) changed.onDependencyFailure = patch.onDependencyFailure
  if (patch.continueNow !== undefined) changed.continueNow = patch.continueNow
  if (patch.epicId !== undefined) changed.epicId = nullable(patch.epicId, issueId)
  if (patch.issueId !== undefined) changed.issueId = nullable(patch.issueId, issueId)
  Object.assign(changed, checkRunSettings(patch))
  if (patch.retryPolicy !== undefined) changed.retryPolicy = checkRetryPolicy(patch.retryPolicy, task.retryPolicy)
  if (patch.notBefore !== undefined) changed.notBefore = nullable(patch.notBefore, (iso) => checkTime('notBefore', iso))
  return changed
}

const nullable = <Given, Kept>(value: Given | null, check: (value: Given) => Kept): Kept | null =>
  value === null ? null : check(value)

/** An agent that somebody chose must be able to do it; one that has it by the way gives it back. */
async function keepOwner(unit: Unit, task: TaskRow, patch: PatchTask): Promise<TaskRow> {
  const owner = patch.agentId === undefined ? await agentOf(unit, task.agentKey) : undefined
  if (owner === undefined) return task
  const lacks = lacking(owner, task)
  if (lacks.length === 0) return task
  if (task.assignedBy === 'caller' || patch.agentClis === undefined) checkCapable(owner, task)
  return await freeAffine(unit, task, `${owner.name} lacks ${lacks.join(', ')}`)
}

async function assign(unit: Unit, task: TaskRow, ref: string | null): Promise<TaskRow> {
  if (ref === null) return await assignTask(unit, task, null)
  const agent = await getAgent(unit, ref)
  checkCapable(agent, task)
  return await assignTask(unit, task, agent)
}

async function shelveOrQueue(unit: Unit, task: TaskRow, status: 'backlog' | 'unassigned'): Promise<TaskRow> {
  if (status === 'backlog')
    return task.status === 'backlog'
      ? task
      : await moveTask(unit, task, { kind: 'shelve', why: 'put into the backlog' })
  if (task.status !== 'backlog') {
    if (task.status === 'unassigned' || task.status === 'pending') return task
    throw new AppError('conflict', `Task ${task.id} is ${task.status}, not in the backlog.`, {
      hint: 'Resume it instead.',
      details: { taskId: task.id, status: task.status },
    })
  }
  const isBusy = await isParentBusy(unit, task)
  return await moveTask(unit, task, { kind: 'queue', why: 'taken out of the backlog', isParentBusy: isBusy })
}

async function placeAgain(unit: Unit, task: TaskRow, why: string): Promise<TaskRow> {
  if (task.status !== 'unassigned' && task.status !== 'pending') return task
  return await moveTask(unit, task, { kind: 'place', why, isParentBusy: await isParentBusy(unit, task) })
}

/** @throws `invalid` itself or a cycle, naming the task by which it closes · `not_found` */
/** Waiting tasks that are looked at again. */
const MAX_AWAITING = 200

async function changeDependencies(unit: Unit, task: TaskRow, wanted: TaskId[]): Promise<TaskRow> {
  checkDependencyCount(wanted.length)
  await unit.tasks.lockDependencies()
  const before = await unit.tasks.dependencies(task.key)
  const now: TaskRow[] = []
  for (const id of [...new Set(wanted)].sort()) now.push(await getTask(unit, id))
  const added = now.filter(({ key }) => !before.some((old) => old.key === key))
  const removed = before.filter(({ key }) => !now.some((kept) => kept.key === key))
  for (const on of added) {
    const isItself = on.key === task.key
    if (isItself || (await unit.tasks.dependsOn(on.key, task.key)))
      throw new AppError(
        'invalid',
        isItself ? `Task ${task.id} can't depend on itself.` : `Task ${on.id} already depends on ${task.id}.`,
        {
          hint: "Dependencies can't form a cycle.",
          details: { field: 'dependsOn', taskId: on.id },
        },
      )
  }
  const keys = (rows: { key: TaskRow['key'] }[]) => rows.map(({ key }) => key)
  if (added.length > 0) await unit.tasks.addDependencies(task.key, keys(added))
  if (removed.length > 0) await unit.tasks.removeDependencies(task.key, keys(removed))
  // A task that waits for others may now wait for one that needs it.
  for (const to of await unit.messages.awaiting(MAX_AWAITING)) unit.addressesWithMail.add(to)
  return await settleDependencies(unit, task, now)
}

async function settleDependencies(unit: Unit, task: TaskRow, now: TaskRow[]): Promise<TaskRow> {
  const unmetCount = now.filter(({ status }) => status !== 'completed').length
  const broken = now.find(({ status }) => status === 'failed' || status === 'cancelled')
  if (broken !== undefined && task.onDependencyFailure === 'fail')
    return await moveTask(unit, task, dependencyFailed(broken), { and: { unmetCount } })
  if (task.status !== 'unassigned' && task.status !== 'pending') {
    await unit.tasks.updateTask(task.key, { unmetCount })
    return { ...task, unmetCount }
  }
  const placed = await moveTask(unit, task, {
    kind: 'place',
    why: 'its dependencies changed',
    changes: { unmetCount },
    isParentBusy: await isParentBusy(unit, task),
  })
  // A child can not wait for it now: what it waits for may be that child.
  if (unmetCount > 0) await wakeChildren(unit, placed)
  return placed
}
