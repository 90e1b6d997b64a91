import { isOpenTo } from '../../domain/access/access'
import { LEAD } from '../../domain/access/rules'
import { AppError } from '../../domain/errors'
import type { IssueId } from '../../domain/ids'
import type { ReadyFilter, StoredIssue } from '../../domain/issue/issue-store'
import type { Caller } from '../../domain/task/worker-protocol'
import { oncePerKey, repeatKey } from '../unit/repeat'
import { closeIssue, reopenIssue, updateIssue } from './change-issue'
import { checkText } from './check-fields'
import { claimIssue, releaseIssue } from './claim-issue'
import { createIssue } from './create-issue'
import { deleteIssues, planDeletion } from './delete-issue'
import { dispatchIssue } from './dispatch-issue'
import { addEdge, removeEdge } from './edges'
import type {
  Changed,
  CreateIssue,
  DeletePreview,
  Dispatched,
  DispatchIssue,
  IssueScope,
  NewDependency,
  UpdateIssue,
} from './issue-inputs'
import { claimed, getIssue, type IssueUnit, onlyIssue, recordChange, saveIssue } from './issue-unit'
import { sweepClaims } from './sweep-claims'
import { FileService } from './trackers/file-service'
import { type IssueServiceOptions, TrackerUnits } from './trackers/tracker-units'

export type { IssueServiceOptions }

/**
 * The use cases of issues over a store and the files of this machine.
 * @param units  where other use cases of this process write issues too: writers of one file then take turns
 */
export function createIssueService(options: IssueServiceOptions, units = new TrackerUnits(options)): IssueService {
  return new IssueUseCases(units)
}

class IssueUseCases {
  readonly import: FileService['import']
  readonly export: FileService['export']
  readonly sync: FileService['sync']
  readonly setStatuses: FileService['setStatuses']
  private readonly units: TrackerUnits

  constructor(units: TrackerUnits) {
    this.units = units
    const files = new FileService(units)
    this.import = files.import.bind(files)
    this.export = files.export.bind(files)
    this.sync = files.sync.bind(files)
    this.setStatuses = files.setStatuses.bind(files)
  }

  /** Takes in what the file says, so that reads report it. Writes nothing when nothing changed. */
  resolveScope(caller: Caller, scope: IssueScope) {
    return this.units.resolveScope(caller, scope)
  }

  async create(caller: Caller, scope: IssueScope, input: CreateIssue, key: string | null): Promise<Changed> {
    const repeat = repeatKey(key, input)
    const target = await this.units.targetOf(caller, scope)
    const refs = {
      parentId: input.parentId === undefined ? null : await this.units.resolve(target.tracker, input.parentId),
      dependencies: await this.units.resolveAll(
        target.tracker,
        (input.dependencies ?? []).map(({ dependsOnId }) => dependsOnId),
      ),
      blocks: await this.units.resolveAll(target.tracker, input.blocks ?? []),
    }
    return await this.units.change(caller, scope, target, async (unit) => {
      const { answer } = await oncePerKey({ tasks: unit.tx.tasks, caller }, 'issues.create', repeat, () =>
        createIssue(unit, input, refs),
      )
      return [answer as IssueId]
    })
  }

  async update(caller: Caller, scope: IssueScope, ref: string, input: UpdateIssue): Promise<Changed> {
    if (input.claim === true) await this.sweep()
    const parent = input.parentId
    return await this.units.changeOne<IssueId | null | undefined>(
      caller,
      scope,
      ref,
      alone((unit, issue, parentId) => updateIssue(unit, issue, input, parentId)),
      async (tracker) => (parent == null ? parent : await this.units.resolve(tracker, parent)),
    )
  }

  /** @throws `conflict` open blockers, open children of an epic, pinned; unless `force` */
  close(
    caller: Caller,
    scope: IssueScope,
    ref: string,
    input: { reason?: string | undefined; force?: boolean | undefined },
  ) {
    return this.units.changeOne(
      caller,
      scope,
      ref,
      alone((unit, issue) => closeIssue(unit, issue, input)),
    )
  }

  reopen(caller: Caller, scope: IssueScope, ref: string, input: { reason?: string | undefined }) {
    return this.units.changeOne(
      caller,
      scope,
      ref,
      alone((unit, issue) => reopenIssue(unit, issue, input.reason)),
    )
  }

  /** Without `confirm` it only says what would go. */
  async delete(
    caller: Caller,
    scope: IssueScope,
    ref: string,
    input: { confirm?: boolean | undefined; cascade?: boolean | undefined; reason?: string | undefined },
  ): Promise<DeletePreview> {
    if (!isOpenTo(LEAD, caller))
      throw new AppError('forbidden', 'Only an operator or a lead may delete issues.', { hint: 'Close it instead.' })
    const isDone = input.confirm === true
    let dependents: IssueId[] = []
    const { tracker, ids, notices } = await this.units.changeOne(caller, scope, ref, async (unit, issue) => {
      const plan = await planDeletion(unit, issue, input.cascade === true)
      dependents = plan.dependents
      unit.asked.reason = input.reason ?? null
      if (isDone) await deleteIssues(unit, plan, input.reason ?? 'deleted')
      return plan.ids
    })
    return { tracker, ids, dependents, isDone, notices }
  }

  /** @throws `conflict` a holder that may be alive has it (`details.claim`), or it is not to be worked on */
  async claim(caller: Caller, scope: IssueScope, ref: string, input: { force?: boolean | undefined }) {
    await this.sweep()
    return await this.units.changeOne(
      caller,
      scope,
      ref,
      alone((unit, issue) => claimIssue(unit, issue, input.force === true)),
    )
  }

  /** Claims the first that is ready; no ids when there is none. */
  async claimNext(caller: Caller, scope: IssueScope, filter: ReadyFilter) {
    await this.sweep()
    const target = await this.units.targetOf(caller, scope)
    return await this.units.change(caller, scope, target, async (unit) => {
      await unit.issues.lock(unit.key)
      const id = await unit.issues.nextReady(unit.key, filter, unit.now)
      if (id === undefined) return []
      await claimIssue(unit, await getIssue(unit, id), false)
      return [id]
    })
  }

  /** Gives a claim up: back to open. */
  release(caller: Caller, scope: IssueScope, ref: string, input: { force?: boolean | undefined }) {
    return this.units.changeOne(
      caller,
      scope,
      ref,
      alone((unit, issue) => releaseIssue(unit, issue, input.force === true)),
    )
  }

  /** @throws `conflict` it would close a circle over edges that block; there is an edge between the two already */
  async addDependency(caller: Caller, scope: IssueScope, ref: string, input: NewDependency) {
    return await this.units.changeOne<IssueId>(
      caller,
      scope,
      ref,
      alone((unit, issue, dependsOnId) => addEdge(unit, issue, { ...input, dependsOnId })),
      (tracker) => this.units.target(tracker, input.dependsOnId),
    )
  }

  removeDependency(caller: Caller, scope: IssueScope, ref: string, dependsOnId: string) {
    return this.units.changeOne<IssueId>(
      caller,
      scope,
      ref,
      alone((unit, issue, resolved) => removeEdge(unit, issue, resolved)),
      // The target of an edge need not exist: what the issue itself says of it counts first.
      async (tracker, id) => {
        const [issue] = await this.units.store.issues.find(tracker, id)
        const edge = issue?.dependencies.find((edge) => edge.dependsOnId === dependsOnId)
        return edge?.dependsOnId ?? (await this.units.target(tracker, dependsOnId))
      },
    )
  }

  async comment(caller: Caller, scope: IssueScope, ref: string, input: { text: string; author?: string | undefined }) {
    const commentId = crypto.randomUUID()
    const text = checkText('text', input.text)
    if (text.trim() === '') throw new AppError('invalid', 'The comment is empty.')
    const changed = await this.units.changeOne(caller, scope, ref, async (unit, issue) => {
      const isClaimed = caller.kind === 'operator' && caller.user === undefined && input.author !== undefined
      const author = isClaimed ? await claimed(unit.tx, input.author ?? unit.actor) : unit.actor
      const comment = { id: commentId, author, text, createdAt: unit.at }
      const after = { ...onlyIssue(issue), comments: [...issue.comments, comment], updatedAt: unit.at }
      await saveIssue(unit, issue, after)
      await recordChange(unit, issue, 'commented', { new: { author, text: text.slice(0, 500) } })
    })
    const [id] = changed.ids
    const issue = id === undefined ? [] : await this.units.store.issues.find(changed.tracker, id)
    // The program that keeps the issues may have given it an id of its own.
    const comments = issue[0]?.comments ?? []
    const isOurs = comments.length === 0 || comments.some((comment) => comment.id === commentId)
    const theirs = isOurs ? undefined : comments.findLast((comment) => comment.text.trim() === text.trim())
    return { ...changed, commentId: theirs?.id ?? commentId }
  }

  /**
   * Makes a task of the issue, whose text is the issue's; an issue whose task is not over is answered with that one.
   *
   * @throws `conflict` it is over, held up, put off or another's, unless `force` · `not_found` no such agent · `too_large`
   */
  async dispatch(
    caller: Caller,
    scope: IssueScope,
    ref: string,
    input: DispatchIssue,
    key: string | null,
  ): Promise<Dispatched> {
    const repeat = repeatKey(key, { ref, ...input })
    const isDryRun = input.dryRun === true
    let tasks: Dispatched['tasks'] = []
    const { tracker, notices } = await this.units.changeOne(caller, scope, ref, async (unit, issue) => {
      const once = { tasks: unit.tx.tasks, caller }
      const at = { folder: scope.dir, hasFolder: this.units.hasFolder }
      const dispatch = async () => JSON.stringify(await dispatchIssue(unit, issue, input, at))
      // What only looks has nothing to remember.
      const answer = isDryRun ? await dispatch() : (await oncePerKey(once, 'issues.dispatch', repeat, dispatch)).answer
      tasks = JSON.parse(answer) as Dispatched['tasks']
      return []
    })
    return { tracker, tasks, isDryRun, notices }
  }

  /** Claims of holders that are gone lapse after a grace time; called every now and then by a server, before `ready` without one. */
  sweep(): Promise<{ lapsed: number }> {
    return sweepClaims(this.units)
  }
}

/** For a change that touches the issue itself and no other. */
function alone<Refs>(work: (unit: IssueUnit, issue: StoredIssue, refs: Refs) => Promise<void>) {
  return async (unit: IssueUnit, issue: StoredIssue, refs: Refs): Promise<undefined> => {
    await work(unit, issue, refs)
    return undefined
  }
}

/**
 * Every use case that writes issues. Each takes in what the file says first, is one unit of work, and leaves the file in step before
 * it answers. Arguments and answers are JSON values.
 *
 * Ids may be a unique beginning, or the part after the prefix (`IssueRef`).
 *
 * Errors all methods may throw: `not_found` (with the nearest ids), `conflict`, `invalid`, `too_large`, `forbidden`, `unavailable`
 * (another process holds the file), `storage_readonly`.
 */
export type IssueService = Pick<IssueUseCases, keyof IssueUseCases>
