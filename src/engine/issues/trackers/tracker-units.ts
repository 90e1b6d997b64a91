import { AppError, isAppError } from '../../../domain/errors'
import type { IssueId, TrackerKey } from '../../../domain/ids'
import { isExternalTarget } from '../../../domain/issue/issue-edges'
import type { StoredIssue, Tracker } from '../../../domain/issue/issue-store'
import type { Store, WriteTx } from '../../../domain/store'
import type { Caller } from '../../../domain/task/worker-protocol'
import { MINUTE_MS } from '../../../domain/time-units'
import { serialByKey } from '../../../util/serial-by-key'
import { resolveIssue } from '../find-issue'
import type { Changed, IssueScope, ResolvedScope } from '../issue-inputs'
import { getIssue, type IssueCaller, type IssueUnit, issueUnit } from '../issue-unit'
import { changeKept } from '../kept/change-kept'
import type { IssueKeeper } from '../kept/issue-keeper'
import { isExportNewer, type ReadKept, readAt, readKept } from '../kept/read-kept'
import { exportNotices, freshScopeAt, placeOf, placeOfTracker } from '../resolve-scope'
import { writeOut } from '../write-out'
import type { IssueFiles, IssuePlace, PendingFile } from './issue-files'
import { catchUp, ensureTracker, HOME_TRACKER } from './tracker-sync'

export interface IssueServiceOptions {
  store: Store
  /** This machine's. */
  files: IssueFiles
  /** Milliseconds; default the unit's own time. */
  now?: () => number
  /** Whether every write leaves the file in step (default), or `sync` alone does. */
  writes?: () => 'always' | 'sync'
  /** Workers have a folder for tasks that name none; default no. */
  hasFolder?: boolean
}

/** Tries in all, if another program writes the file at the same moment. */
const TURNS = 3
/** Milliseconds. */
const LEFT_MS = MINUTE_MS

/** Where a write goes: a tracker with a file here, or one without. */
export interface Target {
  place: IssuePlace | null
  tracker: TrackerKey | null
}

/** Units of work on trackers, each of which takes in what the file says first and leaves it in step. */
export class TrackerUnits {
  readonly store: Store
  readonly files: IssueFiles
  readonly now: (() => number) | undefined
  readonly writes: () => 'always' | 'sync'
  readonly hasFolder: boolean
  /** Writers of one file in this process go one after the other; the file's lock is for other processes. */
  private readonly inTurn = serialByKey()
  /** By path: until when changes that nobody asked for are left, by `performance.now()`. */
  private readonly leftUntil = new Map<string, number>()

  constructor({ store, files, now, writes, hasFolder }: IssueServiceOptions) {
    this.store = store
    this.files = files
    this.now = now
    this.writes = writes ?? (() => 'always')
    this.hasFolder = hasFolder === true
  }

  async resolveScope(caller: Caller, scope: IssueScope): Promise<ResolvedScope> {
    const place = await placeOf(this.store, this.files, caller, scope)
    if (place !== null) return await this.enterPlace(place)
    const notices: string[] = []
    for (const tracker of await this.store.issues.trackers()) {
      const known = placeOfTracker(this.files, tracker)
      if (known !== null) notices.push(...(await this.enterPlace(known)).notices)
    }
    return { tracker: null, path: null, notices }
  }

  async enterPlace(place: IssuePlace): Promise<ResolvedScope> {
    const entered = await freshScopeAt(this.store, this.files, place)
    if (entered !== null) return entered
    const keeper = this.files.keeper(place.path)
    if (keeper !== null) return await this.exclusive(place, () => this.enterKept(place, keeper))
    const { tracker, notices } = await this.exclusive(place, () => catchUp(this.store, this.files, place, 'lodeline'))
    return { tracker: tracker.key, path: place.path, notices: [...notices, ...exportNotices(this.files, place)] }
  }

  /** What its keeper says; while that does not answer, what is known of it, and why that may be old. */
  private async enterKept(place: IssuePlace, keeper: IssueKeeper): Promise<ResolvedScope> {
    const { store, files } = this
    // The previous holder of the lock may have read it.
    const entered = await freshScopeAt(store, files, place)
    if (entered !== null) return entered
    try {
      const { tracker, notices } = await readKept(store, files, place, keeper, 'bd')
      return { tracker: tracker.key, path: place.path, notices }
    } catch (error) {
      if (!isAppError(error)) throw error
      const { tracker, notices } = await this.fromExport(place)
      return {
        tracker: tracker.key,
        path: place.path,
        notices: [...notices, `bd can't be reached now: ${error.message}`],
      }
    }
  }

  private async fromExport(place: IssuePlace): Promise<{ tracker: Tracker; notices: string[] }> {
    const { store, files } = this
    const tracker = await ensureTracker(store, files, place)
    if (isExportNewer(tracker, files.stamp(place.path))) {
      const { tracker, notices } = await catchUp(store, files, place, 'lodeline')
      return { tracker, notices: [...notices, ...exportNotices(files, place)] }
    }
    const at = readAt(tracker)
    if (at === null) return { tracker: tracker, notices: exportNotices(files, place) }
    return {
      tracker: tracker,
      notices: [`${place.path} shows the data of bd at ${new Date(at).toISOString()}; bd may have newer data`],
    }
  }

  /** A unit that changes one issue. */
  async changeOne<Refs = undefined>(
    caller: Caller,
    scope: IssueScope,
    ref: string,
    work: (unit: IssueUnit, issue: StoredIssue, refs: Refs) => Promise<IssueId[] | undefined>,
    /** Reads before the unit, which can read nothing but its own transaction. */
    lookUp?: (tracker: TrackerKey, id: IssueId) => Promise<Refs>,
  ): Promise<Changed> {
    const target = await this.targetOf(caller, scope)
    const { id, tracker } = await resolveIssue(this.store, target.tracker, ref)
    const place = target.place ?? (await this.placeOfKey(tracker))
    const refs = (await lookUp?.(tracker, id)) as Refs
    return await this.change(caller, scope, { place, tracker }, async (unit) => {
      const ids = await work(unit, await getIssue(unit, id), refs)
      return ids ?? [id]
    })
  }

  /** One command: takes in what the file says, runs the unit, leaves the file in step. */
  async change(
    caller: IssueCaller,
    scope: IssueScope,
    { place, tracker }: Target,
    work: (unit: IssueUnit) => Promise<IssueId[]>,
  ): Promise<Changed> {
    if (place === null) {
      const key = tracker ?? HOME_TRACKER
      return await this.store.write((tx) => this.inUnit(tx, key, caller, scope, [], work))
    }
    const keeper = this.files.keeper(place.path)
    if (keeper !== null) return await this.exclusive(place, () => this.changeKept(caller, scope, place, keeper, work))
    this.mustBeWritable(place)
    for (let turn = 1; ; turn++)
      try {
        return await this.exclusive(place, async () => {
          const synced = await catchUp(this.store, this.files, place, 'lodeline')
          return await this.writeBoth(caller, scope, place, synced.tracker, synced.notices, work)
        })
      } catch (thrown) {
        if (turn >= TURNS || !(thrown instanceof AppError) || thrown.details?.isRaced !== true) throw thrown
      }
  }

  /**
   * A change that nobody asked for and nobody waits for. Where another program keeps the issues and refuses, or does not answer, it is
   * left for a while.
   * @returns whether it was made
   */
  async changeUnasked(target: Target, work: (unit: IssueUnit) => Promise<IssueId[]>): Promise<boolean> {
    const { place } = target
    const keeper = place === null ? null : this.files.keeper(place.path)
    if (place === null || (keeper === null && !this.isOutOfReach(place))) {
      await this.change({ kind: 'system' }, {}, target, work)
      return true
    }
    const { path } = place
    if (keeper === null || keeper.isDown() || performance.now() < (this.leftUntil.get(path) ?? 0)) return false
    try {
      await this.change({ kind: 'system' }, {}, target, work)
      return true
    } catch (error) {
      if (!isAppError(error)) throw error
      this.leftUntil.set(path, performance.now() + LEFT_MS)
      return false
    }
  }

  /** Another program keeps these issues, and is not to be run for them. */
  isOutOfReach({ path }: IssuePlace): boolean {
    return this.files.keeper(path) === null && this.files.readOnly(path) !== null
  }

  private async writeBoth(
    caller: IssueCaller,
    scope: IssueScope,
    place: IssuePlace,
    tracker: Tracker,
    notices: string[],
    work: (unit: IssueUnit) => Promise<IssueId[]>,
  ): Promise<Changed> {
    let pending: PendingFile | undefined
    try {
      const changed = await this.store.write(async (tx) => {
        // On PostgreSQL a unit may be run again from its start.
        pending?.discard()
        pending = undefined
        const answer = await this.inUnit(tx, tracker.key, caller, scope, [...notices], work)
        if (this.writes() === 'always')
          pending = (await writeOut(tx.issues, this.files, tracker, place.isBeads))?.pending
        return answer
      })
      await pending?.commit()
      return changed
    } catch (thrown) {
      pending?.discard()
      throw thrown
    }
  }

  private async changeKept(
    caller: IssueCaller,
    scope: IssueScope,
    place: IssuePlace,
    keeper: IssueKeeper,
    work: (unit: IssueUnit) => Promise<IssueId[]>,
  ): Promise<Changed> {
    const { store, files } = this
    let read: Pick<ReadKept, 'tracker' | 'notices'> | undefined
    try {
      const known = keeper.isFresh(true) ? await store.issues.trackerAt(files.hostName, place.path) : undefined
      read = known && { tracker: known, notices: [] }
      read ??= await readKept(store, files, place, keeper, 'bd', true)
    } catch (error) {
      const refusal = files.readOnly(place.path)
      if (!isAppError(error) || refusal === null) throw error
      const { hint, details } = refusal
      throw new AppError('unavailable', `${refusal.message} bd can't be reached now: ${error.message}`, {
        ...(hint !== undefined && { hint }),
        ...(details !== undefined && { details }),
        cause: error,
      })
    }
    const { tracker, notices } = read
    return await changeKept(store, files, place, keeper, tracker, (tx, more, after) =>
      this.inUnit(tx, tracker.key, caller, scope, [...notices], work, { ...more, after }),
    )
  }

  private async inUnit(
    tx: WriteTx,
    key: TrackerKey,
    caller: IssueCaller,
    scope: IssueScope,
    notices: string[],
    work: (unit: IssueUnit) => Promise<IssueId[]>,
    more: { now?: number; newIds?: IssueId[]; after?: (unit: IssueUnit) => Promise<void> } = {},
  ): Promise<Changed> {
    const tracker = await tx.issues.tracker(key)
    if (tracker === undefined) throw new AppError('not_found', 'The tracker no longer exists.')
    const now = more.now ?? this.now?.() ?? tx.now
    const unit = await issueUnit(tx, tracker, caller, scope, now, notices, [...(more.newIds ?? [])])
    const ids = await work(unit)
    await more.after?.(unit)
    return { tracker: key, ids, notices: unit.notices }
  }

  /** @throws `conflict` another program keeps these issues, and the file is its export */
  mustBeWritable({ path }: IssuePlace): void {
    const refusal = this.files.readOnly(path)
    if (refusal === null) return
    if (this.files.keeper(path) === null) throw refusal
    throw new AppError('conflict', `bd keeps the issues of ${path}, and only bd can do this.`, {
      hint: 'Run `bd import FILE` to import issues, `bd config set status.custom` to define statuses, and `bd backup` to restore.',
      details: { path },
    })
  }

  exclusive<T>(place: IssuePlace, work: () => Promise<T>): Promise<T> {
    return this.inTurn(place.path, () => this.files.lock(place.path, work))
  }

  async targetOf(caller: Caller, scope: IssueScope): Promise<Target> {
    const place = await placeOf(this.store, this.files, caller, scope)
    if (place === null) return { place: null, tracker: null }
    const entered = await this.enterPlace(place)
    return { place, tracker: entered.tracker }
  }

  async placeOfKey(key: TrackerKey): Promise<IssuePlace | null> {
    const tracker = (await this.store.issues.trackers()).find((one) => one.key === key)
    return tracker === undefined ? null : placeOfTracker(this.files, tracker)
  }

  async resolve(tracker: TrackerKey | null, ref: string): Promise<IssueId> {
    return (await resolveIssue(this.store, tracker, ref)).id
  }

  /** The target of an edge may lie outside of the tracker. */
  target(tracker: TrackerKey | null, ref: string): Promise<IssueId> {
    return isExternalTarget(ref) ? Promise.resolve(ref as IssueId) : this.resolve(tracker, ref)
  }

  resolveAll(tracker: TrackerKey | null, refs: readonly string[]): Promise<IssueId[]> {
    return Promise.all(refs.map((ref) => this.target(tracker, ref)))
  }
}
