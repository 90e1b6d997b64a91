import { dirname } from 'node:path'
import { AppError } from '../../domain/errors'
import { type IssueId, type TaskId, taskId } from '../../domain/ids'
import { isBlockingType, isExternalTarget, parentsOf } from '../../domain/issue/issue-edges'
import type { StoredIssue } from '../../domain/issue/issue-store'
import { issueTimeMs } from '../../domain/issue/issue-time'
import type { TaskRow } from '../../domain/task/task-store'
import { randomBytes } from '../../util/crypto'
import { checkNewTask, createTask } from '../tasks/create-task'
import type { CreateTask } from '../tasks/task-inputs'
import type { Unit } from '../unit/unit'
import { dispatchText, taskPriority } from './dispatch-text'
import type { Dispatched, DispatchIssue } from './issue-inputs'
import { type IssueUnit, recordChange } from './issue-unit'

/** So many issues become tasks at once. */
export const DISPATCH_LIMIT = 200
/** Levels of parents whose blockers count as the issue's own. */
const PARENTS = 10

type Outcome = Dispatched['tasks']

/** Where the tasks run of issues whose tracker has no file, and so no project. */
export interface DispatchPlace {
  /** The command's folder. */
  folder?: string | undefined
  /** As of a task's unit. */
  hasFolder?: boolean | undefined
}

/**
 * Makes a task of an issue, and with `withDependents` of what waits for it; a task waits for the tasks of what its issue is blocked by.
 *
 * @throws `conflict` it is over, held up, put off or another's, unless `force` · `too_large` more than `DISPATCH_LIMIT` issues
 */
export async function dispatchIssue(
  unit: IssueUnit,
  root: StoredIssue,
  input: DispatchIssue,
  place: DispatchPlace = {},
): Promise<Outcome> {
  // Two who dispatch it at once make one task.
  await unit.issues.lock(unit.key)
  const plan = new Plan(unit, input, place)
  await plan.add(root)
  if (input.withDependents === true) await plan.addDependents(root)
  return await plan.carryOut()
}

class Plan {
  private readonly unit: IssueUnit
  private readonly input: DispatchIssue
  private readonly place: DispatchPlace
  /** In the order in which they were found: the one that was named first. */
  private readonly issues = new Map<IssueId, StoredIssue>()
  private readonly live = new Map<IssueId, TaskRow | undefined>()
  private readonly blockers = new Map<IssueId, IssueId[]>()

  constructor(unit: IssueUnit, input: DispatchIssue, place: DispatchPlace) {
    this.unit = unit
    this.input = input
    this.place = place
  }

  async add(root: StoredIssue): Promise<void> {
    const obstacle = this.obstacleOf(root, await this.holderOf(root)) ?? (await this.heldUp(root))
    if (obstacle !== null && this.input.force !== true && !(await this.isDispatched(root)))
      throw new AppError('conflict', `Issue ${obstacle}.`, {
        hint: `See \`lode issue ready --explain ${root.id}\`, or pass --force.`,
        details: { status: root.status },
      })
    this.issues.set(root.id, root)
  }

  /** What waits for it by `blocks`, and what waits for that. */
  async addDependents(root: StoredIssue): Promise<void> {
    const { unit } = this
    const queue = [root]
    const seen = new Set<IssueId>([root.id])
    for (let issue = queue.shift(); issue !== undefined; issue = queue.shift())
      for (const id of await unit.issues.dependents(unit.key, issue.id)) {
        if (seen.has(id)) continue
        const found = await unit.issues.find(unit.key, id)
        if (found === undefined || found.isDeleted || found.isAbsent || this.isDone(found)) continue
        const types = found.dependencies.flatMap(({ dependsOnId, type }) => (dependsOnId === issue.id ? [type] : []))
        if (!types.includes('blocks')) {
          // A child waits for its parent no more than its parent waits: nothing to say of it.
          const other = types.find((type) => isBlockingType(type) && type !== 'parent-child')
          if (other !== undefined)
            unit.notices.push(
              `${id} was not dispatched: it waits for ${issue.id} by ${other}, which tasks can't represent`,
            )
          continue
        }
        seen.add(id)
        const obstacle = this.obstacleOf(found, await this.holderOf(found))
        if (obstacle !== null && this.input.force !== true && !(await this.isDispatched(found))) {
          unit.notices.push(`${obstacle}: neither it nor the issues that wait only for it were dispatched`)
          continue
        }
        if (this.issues.size >= DISPATCH_LIMIT)
          throw new AppError('too_large', `More than ${DISPATCH_LIMIT} issues wait for ${root.id}.`, {
            hint: 'Dispatch it without --with-dependents, or start from an issue further down.',
            details: { limit: DISPATCH_LIMIT, unit: 'issues' },
          })
        this.issues.set(id, found)
        queue.push(found)
      }
  }

  async carryOut(): Promise<Outcome> {
    const outcome: Outcome = []
    const made = new Map<IssueId, TaskId>()
    for (const issue of await this.inOrder()) {
      const live = this.input.again === true ? undefined : await this.liveTask(issue.id)
      const waitsFor = await this.blockersOf(issue)
      if (live !== undefined) {
        made.set(issue.id, live.id)
        const depends = await this.unit.tx.tasks.dependencies(live.key)
        outcome.push(
          entry(
            issue,
            live.id,
            depends.map(({ id }) => id),
            waitsFor,
            false,
          ),
        )
        continue
      }
      const dependsOn: TaskId[] = []
      for (const id of waitsFor) {
        const task = made.get(id) ?? (this.issues.has(id) ? undefined : (await this.liveTask(id))?.id)
        if (task !== undefined) dependsOn.push(task)
        else if (!this.issues.has(id) || this.input.dryRun !== true)
          this.unit.notices.push(`${issue.id} waits for ${id}, which is open and has no task: its own task won't wait`)
      }
      const id = this.input.dryRun === true ? null : await this.make(issue, dependsOn)
      if (id !== null) made.set(issue.id, id)
      outcome.push(entry(issue, id, dependsOn, waitsFor, true))
    }
    // The one that was named comes first, whatever had to be made before it.
    const [root] = this.issues.keys()
    return outcome.sort((a, b) => Number(b.issueId === root) - Number(a.issueId === root))
  }

  private async make(issue: StoredIssue, dependsOn: TaskId[]): Promise<TaskId> {
    const { unit, input } = this
    const epic = await this.epicOf(issue)
    const folder = this.root ?? this.place.folder
    const task: CreateTask = {
      task: dispatchText(issue),
      title: issue.title.slice(0, 200),
      priority: input.priority ?? taskPriority(issue.priority),
      source: 'issue',
      issueId: issue.id,
      ...(folder !== undefined && { dir: folder }),
      ...(epic !== null && { epicId: epic }),
      ...(input.agentId !== undefined && { agentId: input.agentId }),
      ...(input.agentClis !== undefined && { agentClis: input.agentClis }),
    }
    const ids = { parentTaskId: null, dependsOn }
    const { task: row } = await createTask(this.taskUnit(), task, checkNewTask(task), ids)
    await recordChange(unit, issue, 'dispatched', { new: { taskId: row.id } })
    return taskId(row.id)
  }

  /** Blockers before what they block. A circle over `blocks` is refused when it is written, but files may have one. */
  private async inOrder(): Promise<StoredIssue[]> {
    const order: StoredIssue[] = []
    const left = new Map(this.issues)
    while (left.size > 0) {
      const before = left.size
      for (const issue of left.values())
        if (!(await this.blockersOf(issue)).some((id) => left.has(id))) {
          order.push(issue)
          left.delete(issue.id)
        }
      if (left.size === before)
        throw new AppError('conflict', `${[...left.keys()].slice(0, 5).join(', ')} wait for each other in a cycle.`, {
          hint: 'Run `lode dep cycles` and remove one of the edges.',
        })
    }
    return order
  }

  /** Open issues that it waits for by `blocks`: its own, and those of its parents, since a blocked parent blocks its children. */
  private async blockersOf(issue: StoredIssue): Promise<IssueId[]> {
    const known = this.blockers.get(issue.id)
    if (known !== undefined) return known
    const { unit } = this
    const blockers = new Set<IssueId>()
    let level = [issue]
    const seen = new Set<IssueId>([issue.id])
    for (let depth = 0; depth <= PARENTS && level.length > 0; depth++) {
      const above: StoredIssue[] = []
      for (const one of level) {
        for (const { dependsOnId, type } of one.dependencies)
          if (type === 'blocks' && dependsOnId !== issue.id && (await this.isOpen(dependsOnId)))
            blockers.add(dependsOnId)
        for (const id of parentsOf(one)) {
          if (seen.has(id)) continue
          seen.add(id)
          const parent = await unit.issues.find(unit.key, id)
          if (parent !== undefined && !parent.isDeleted) above.push(parent)
        }
      }
      level = above
    }
    const found = [...blockers]
    this.blockers.set(issue.id, found)
    return found
  }

  private async isOpen(id: IssueId): Promise<boolean> {
    if (isExternalTarget(id)) return false
    const found = await this.unit.issues.find(this.unit.key, id)
    return (
      found !== undefined && !found.isDeleted && !found.isAbsent && !this.isDone(found) && found.status !== 'pinned'
    )
  }

  /** Held up by something that has no task to wait for. */
  private async heldUp(issue: StoredIssue): Promise<string | null> {
    if (!issue.isBlocked) return null
    const blockers = await this.blockersOf(issue)
    const without: IssueId[] = []
    for (const id of blockers) if ((await this.liveTask(id)) === undefined) without.push(id)
    if (blockers.length > 0 && without.length === 0) return null
    const by = without.length === 0 ? 'something other than an edge that blocks' : without.slice(0, 5).join(', ')
    return `${issue.id} is blocked by ${by}, which has no task`
  }

  private obstacleOf(issue: StoredIssue, holder: string | null): string | null {
    const { statuses, now, actor } = this.unit
    const category = statuses.categoryOf(issue.status)
    if (category === 'done') return `${issue.id} is ${issue.status}`
    if (issue.status === 'pinned') return `${issue.id} is pinned: there is nothing to work on`
    const until = issue.deferUntil === null ? null : issueTimeMs(issue.deferUntil)
    if (category === 'frozen' || (until !== null && until > now))
      return `${issue.id} is deferred${issue.deferUntil === null ? '' : ` until ${issue.deferUntil}`}`
    if (holder !== null && holder !== actor) return `${issue.id} is held by ${holder}`
    return null
  }

  private async holderOf(issue: StoredIssue): Promise<string | null> {
    return (await this.unit.issues.claim(issue.key))?.holder ?? null
  }

  private isDone(issue: StoredIssue): boolean {
    return this.unit.statuses.isDone(issue.status)
  }

  /** Its task is answered, whatever has happened to the issue since. */
  private async isDispatched(issue: StoredIssue): Promise<boolean> {
    return this.input.again !== true && (await this.liveTask(issue.id)) !== undefined
  }

  /** The newest task for the issue that is not over. */
  private async liveTask(id: IssueId): Promise<TaskRow | undefined> {
    if (!this.live.has(id)) {
      const [newest] = await this.unit.tx.tasks.openOfIssue(this.unit.key, id)
      this.live.set(id, newest)
    }
    return this.live.get(id)
  }

  private async epicOf(issue: StoredIssue): Promise<IssueId | null> {
    for (const id of parentsOf(issue)) {
      const parent = await this.unit.issues.find(this.unit.key, id)
      if (parent !== undefined && !parent.isDeleted && parent.issueType === 'epic') return parent.id
    }
    return null
  }

  /** The folder of the project whose tracker it is. */
  private get root(): string | null {
    const { path } = this.unit.tracker
    return path === null ? null : dirname(dirname(path))
  }

  private taskUnit(): Unit {
    const { tx, now, caller } = this.unit
    return {
      tasks: tx.tasks,
      messages: tx.messages,
      registry: tx.registry,
      audit: tx.audit,
      budgets: tx.budgets,
      now,
      caller,
      random: randomBytes,
      hasFolder: this.place.hasFolder,
      addressesWithMail: new Set(),
      speakers: new Map(),
      feed: (kind, data) => tx.appendFeed(kind, null, data),
    }
  }
}

function entry(
  { id, title }: StoredIssue,
  task: TaskId | null,
  dependsOn: TaskId[],
  waitsFor: IssueId[],
  isNew: boolean,
): Outcome[number] {
  return { issueId: id, title, taskId: task, dependsOn, waitsFor, isNew }
}
