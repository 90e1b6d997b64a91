import { type Address, type PlanId, planId, type TaskId } from '../../../domain/ids'
import { PLAN_LIMITS, type PlanProgress } from '../../../domain/task/plan'
import { isFinal } from '../../../domain/task/task'
import type { PlanRow, TaskRow } from '../../../domain/task/task-store'
import { randomName } from '../../unit/secrets'
import { nameOf, type Unit } from '../../unit/unit'
import { checkText } from '../check-fields'
import { type CheckedTask, createTask } from '../create-task'
import { checkSpawn, isSpawn, takeTurn } from '../spawn'
import type { CreatePlan, PlanTask } from '../task-inputs'

/** A plan's task with what needed no unit: its fields were checked, its ids looked up. */
export interface PreparedTask {
  task: PlanTask
  checked: CheckedTask
  /** Keys of tasks that stand before it. */
  after: string[]
  others: TaskId[]
  parentTaskId: TaskId | null
}

/**
 * Makes all tasks of a plan, or none.
 *
 * @param prepared  each after those that it depends on
 * @returns `isRepeat`: the same agent made a plan of these very tasks before, and it is not over
 */
export async function createPlan(
  unit: Unit,
  input: CreatePlan,
  prepared: readonly PreparedTask[],
): Promise<{ id: PlanId; isRepeat: boolean }> {
  if (isSpawn(unit, input)) {
    const above = await takeTurn(unit, input)
    const same = await samePlan(unit, input, prepared)
    if (same !== undefined) return { id: same, isRepeat: true }
    const others = prepared.flatMap((one) => one.others)
    await checkSpawn(unit, above, others, prepared.length)
  }
  const first = prepared[0]?.task
  const title = checkText(
    'title',
    input.title ??
      first?.title ??
      first?.task
        .trim()
        .split(/[\r\n]/, 1)[0]
        ?.slice(0, 120) ??
      '',
    PLAN_LIMITS.title,
  )
  const id = planId(`p-${randomName(8, unit.random)}`)
  await unit.tasks.insertPlan({ id, title, creator: nameOf(unit.caller), createdAt: unit.now })
  const made = new Map<string, TaskId>()
  for (const { task: given, checked, after, others, parentTaskId } of prepared) {
    const { key, ...task } = given
    const dependsOn = [...others, ...after.map((name) => made.get(name)).filter((one) => one !== undefined)]
    const ids = { parentTaskId, dependsOn }
    const { task: row } = await createTask(unit, inherited(task, input), checked, ids, { planId: id, planKey: key })
    made.set(key, row.id)
  }
  return { id, isRepeat: false }
}

/** What the plan says for tasks that say nothing else. Each begins a conversation of its own unless it asks to continue one. */
export function inherited(task: Omit<PlanTask, 'key'>, plan: CreatePlan): Omit<PlanTask, 'key'> {
  const { parentTaskId, sessionId, spawnedBy, source } = plan
  return {
    ...(source !== undefined && { source }),
    ...(parentTaskId !== undefined && { parentTaskId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(spawnedBy !== undefined && { spawnedBy }),
    continuity: 'fresh',
    ...task,
  }
}

/** A plan of the same tasks by the same agent that is still at work: one that forgot, or was resumed, sends it again. */
async function samePlan(unit: Unit, input: CreatePlan, prepared: readonly PreparedTask[]): Promise<PlanId | undefined> {
  const spawner = await spawnerOf(unit, input)
  const first = prepared[0]
  if (spawner === null || first === undefined) return undefined
  // Any of its tasks may be over already; one of them is not, or the plan is.
  const seen = new Set<PlanId>()
  for (const { checked } of prepared)
    for (const { planId: id } of await unit.tasks.openWithText(spawner, checked.text)) {
      if (id === null || seen.has(id)) continue
      seen.add(id)
      if (hasSameTasks(await unit.tasks.planTasks(id), prepared)) return id
    }
  return undefined
}

async function spawnerOf(unit: Unit, { sessionId, spawnedBy }: CreatePlan): Promise<Address | null> {
  if (unit.caller.kind === 'attempt') return await unit.messages.addressOf(unit.caller.taskId)
  const session = sessionId ?? spawnedBy?.sessionId
  return session === undefined ? null : await unit.messages.addressOf(session)
}

function hasSameTasks(rows: readonly TaskRow[], prepared: readonly PreparedTask[]): boolean {
  if (rows.length !== prepared.length) return false
  const texts = new Map(rows.map((row) => [row.planKey, row.text]))
  return prepared.every(({ task, checked }) => texts.get(task.key) === checked.text)
}

/** How far a plan is, within a unit. */
export async function planProgress(unit: Unit, row: PlanRow): Promise<PlanProgress> {
  const rows = await unit.tasks.planTasks(row.id)
  const tasks: PlanProgress['tasks'] = []
  for (const { key } of rows) tasks.push(await unit.tasks.shown(key))
  const counts: PlanProgress['counts'] = {}
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1
  const plan = { id: row.id, title: row.title, creator: row.creator, createdAt: new Date(row.createdAt).toISOString() }
  return { plan, tasks, counts, isDone: rows.every(({ status }) => isFinal(status)) }
}
