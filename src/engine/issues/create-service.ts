import { randomUUID } from 'node:crypto'
import { AppError } from '../../domain/errors'
import type { IssueId, TrackerKey } from '../../domain/ids'
import { isExternalTarget } from '../../domain/issue-edges'
import { issueFacts } from '../../domain/issue-facts'
import { type CustomStatus, statusCatalog } from '../../domain/issue-status'
import type { StoredIssue, Tracker } from '../../domain/issue-store'
import type { Store, WriteTx } from '../../domain/store'
import type { Caller } from '../../domain/worker-protocol'
import { serialByKey } from '../../util/serial-by-key'
import { decodeFile, encodeFile } from '../issue-file/file-text'
import { parseIssueFile } from '../issue-file/parse'
import { newFileStyle } from '../issue-file/style'
import { oncePerKey, repeatKey } from '../tasks/repeat'
import { closeIssue, reopenIssue, updateIssue } from './change-issue'
import { checkText } from './check-fields'
import { claimIssue, freeIssue, releaseIssue } from './claim-issue'
import { createIssue } from './create-issue'
import { deleteIssues, planDeletion } from './delete-issue'
import { addEdge, removeEdge } from './edges'
import { placeEntered, placeOf, placeOfTracker } from './enter'
import { resolveIssue } from './find-issue'
import type { IssueFiles, IssuePlace, PendingFile } from './issue-files'
import type {
  Changed,
  DeletePreview,
  Entered,
  ImportOutcome,
  IssueScope,
  IssueService,
  SyncOutcome,
} from './issue-service'
import { getIssue, type IssueCaller, type IssueUnit, issueUnit, onlyIssue, saveIssue, tell } from './issue-unit'
import { isHolderGone } from './liveness'
import { patchLines } from './patch-lines'
import { takeIn } from './take-in'
import { catchUp, flush, HOME_TRACKER, NO_TRACKER } from './tracker-sync'
import { lineOf, writeOut } from './write-out'

export interface IssueServiceOptions {
  store: Store
  /** Of this machine. */
  files: IssueFiles
  /** Milliseconds; default the unit's own time. */
  now?: () => number
  /** Whether every write leaves the file in step (default), or `sync` alone does. */
  writes?: () => 'always' | 'sync'
}

/** A claim outlives its holder by so long: who comes back in time finds it as it was. */
export const CLAIM_GRACE_MS = 10 * 60_000

/** Another program that writes the file at the same moment: everything is done again, so often in all. */
const TURNS = 3

/** The use cases of issues over a store and the files of this machine. */
export function createIssueService(options: IssueServiceOptions): IssueService {
  return new Service(options)
}

/** Where a write goes: a tracker with a file here, or one without. */
interface Target {
  place: IssuePlace | null
  tracker: TrackerKey | null
}

class Service implements IssueService {
  private readonly store: Store
  private readonly files: IssueFiles
  private readonly now: (() => number) | undefined
  private readonly writes: () => 'always' | 'sync'
  /** Writers of one file in this process go one after the other; the file's lock is for other processes. */
  private readonly inTurn = serialByKey()

  constructor({ store, files, now, writes }: IssueServiceOptions) {
    this.store = store
    this.files = files
    this.now = now
    this.writes = writes ?? (() => 'always')
  }

  async enter(caller: Caller, scope: IssueScope): Promise<Entered> {
    const place = await placeOf(this.store, this.files, caller, scope)
    if (place !== null) return await this.enterPlace(place)
    const notices: string[] = []
    for (const tracker of await this.store.issues.trackers()) {
      const known = placeOfTracker(this.files, tracker)
      if (known !== null) notices.push(...(await this.enterPlace(known)).notices)
    }
    return { tracker: null, path: null, notices }
  }

  private async enterPlace(place: IssuePlace): Promise<Entered> {
    const entered = await placeEntered(this.store, this.files, place)
    if (entered !== null) return entered
    const { tracker, notices } = await this.exclusive(place, () => catchUp(this.store, this.files, place, 'lodeline'))
    return { tracker: tracker.key, path: place.path, notices }
  }

  async create(
    caller: Caller,
    scope: IssueScope,
    input: Parameters<IssueService['create']>[2],
    key: string | null,
  ): Promise<Changed> {
    const repeat = repeatKey(key, input)
    const target = await this.targetOf(caller, scope)
    const refs = {
      parentId: input.parentId === undefined ? null : await this.resolve(target.tracker, input.parentId),
      dependencies: await this.resolveAll(
        target.tracker,
        (input.dependencies ?? []).map(({ dependsOnId }) => dependsOnId),
      ),
      blocks: await this.resolveAll(target.tracker, input.blocks ?? []),
    }
    return await this.change(caller, scope, target, async (unit) => {
      const once = {
        tasks: unit.tx.tasks,
        now: unit.now,
        caller,
        random: () => new Uint8Array(),
        feed: () => undefined,
      }
      const { answer } = await oncePerKey(once, 'issues.create', repeat, () => createIssue(unit, input, refs))
      return [answer as IssueId]
    })
  }

  async update(
    caller: Caller,
    scope: IssueScope,
    ref: string,
    input: Parameters<IssueService['update']>[3],
  ): Promise<Changed> {
    if (input.claim === true) await this.sweep()
    const parent = input.parentId
    return await this.changeOne<IssueId | null | undefined>(
      caller,
      scope,
      ref,
      alone((unit, issue, parentId) => updateIssue(unit, issue, input, parentId)),
      async (tracker) => (parent == null ? parent : await this.resolve(tracker, parent)),
    )
  }

  close(caller: Caller, scope: IssueScope, ref: string, input: Parameters<IssueService['close']>[3]) {
    return this.changeOne(
      caller,
      scope,
      ref,
      alone((unit, issue) => closeIssue(unit, issue, input)),
    )
  }

  reopen(caller: Caller, scope: IssueScope, ref: string, input: { reason?: string | undefined }) {
    return this.changeOne(
      caller,
      scope,
      ref,
      alone((unit, issue) => reopenIssue(unit, issue, input.reason)),
    )
  }

  async delete(
    caller: Caller,
    scope: IssueScope,
    ref: string,
    input: Parameters<IssueService['delete']>[3],
  ): Promise<DeletePreview> {
    if (caller.kind === 'attempt' || (caller.kind === 'agent' && caller.agentKind !== 'lead'))
      throw new AppError('forbidden', 'only an operator or a lead may delete issues', { hint: 'Close it instead.' })
    const isDone = input.confirm === true
    let dependents: IssueId[] = []
    const { tracker, ids, notices } = await this.changeOne(caller, scope, ref, async (unit, issue) => {
      const plan = await planDeletion(unit, issue, input.cascade === true)
      dependents = plan.dependents
      if (isDone) await deleteIssues(unit, plan, input.reason ?? 'deleted')
      return plan.ids
    })
    return { tracker, ids, dependents, isDone, notices }
  }

  async claim(caller: Caller, scope: IssueScope, ref: string, input: { force?: boolean | undefined }) {
    await this.sweep()
    return await this.changeOne(
      caller,
      scope,
      ref,
      alone((unit, issue) => claimIssue(unit, issue, input.force === true)),
    )
  }

  async claimNext(caller: Caller, scope: IssueScope, filter: Parameters<IssueService['claimNext']>[2]) {
    await this.sweep()
    const target = await this.targetOf(caller, scope)
    return await this.change(caller, scope, target, async (unit) => {
      await unit.issues.lock(unit.key)
      const id = await unit.issues.nextReady(unit.key, filter, unit.now)
      if (id === undefined) return []
      await claimIssue(unit, await getIssue(unit, id), false)
      return [id]
    })
  }

  release(caller: Caller, scope: IssueScope, ref: string, input: { force?: boolean | undefined }) {
    return this.changeOne(
      caller,
      scope,
      ref,
      alone((unit, issue) => releaseIssue(unit, issue, input.force === true)),
    )
  }

  async addDependency(
    caller: Caller,
    scope: IssueScope,
    ref: string,
    input: Parameters<IssueService['addDependency']>[3],
  ) {
    return await this.changeOne<IssueId>(
      caller,
      scope,
      ref,
      alone((unit, issue, dependsOnId) => addEdge(unit, issue, { ...input, dependsOnId })),
      (tracker) => this.target(tracker, input.dependsOnId),
    )
  }

  removeDependency(caller: Caller, scope: IssueScope, ref: string, dependsOnId: string) {
    return this.changeOne<IssueId>(
      caller,
      scope,
      ref,
      alone((unit, issue, resolved) => removeEdge(unit, issue, resolved)),
      // The target of an edge need not exist: what the issue itself says of it counts first.
      async (tracker, id) => {
        const [issue] = await this.store.issues.find(tracker, id)
        const there = issue?.dependencies.find((edge) => edge.dependsOnId === dependsOnId)
        return there?.dependsOnId ?? (await this.target(tracker, dependsOnId))
      },
    )
  }

  async comment(caller: Caller, scope: IssueScope, ref: string, input: Parameters<IssueService['comment']>[3]) {
    const commentId = randomUUID()
    const text = checkText('text', input.text)
    if (text.trim() === '') throw new AppError('invalid', 'the comment is empty')
    const changed = await this.changeOne(caller, scope, ref, async (unit, issue) => {
      const author = caller.kind === 'operator' ? input.author?.trim() || unit.actor : unit.actor
      const comment = { id: commentId, author, text, createdAt: unit.at }
      const after = { ...onlyIssue(issue), comments: [...issue.comments, comment], updatedAt: unit.at }
      await saveIssue(unit, issue, after)
      await tell(unit, issue, 'commented', { new: { author, text: text.slice(0, 500) } })
    })
    return { ...changed, commentId }
  }

  async import(
    caller: Caller,
    scope: IssueScope,
    input: Parameters<IssueService['import']>[2],
  ): Promise<ImportOutcome> {
    mayWriteFiles(caller, 'import')
    const { dryRun } = input
    const text = this.importedText(caller, input)
    const target = await this.targetOf(caller, scope)
    if (target.place === null) throw needsDir('import')
    const { place } = target
    return await this.exclusive(place, async () => {
      const synced = await catchUp(this.store, this.files, place, nameOf(caller))
      const { tracker } = synced
      const parsed = parseIssueFile(text, { isBeads: place.isBeads })
      const known = await this.store.write((tx) => tx.issues.knownLines(tracker.key))
      const isFirst = known.length === 0
      const outcome = { tracker: tracker.key, isDryRun: dryRun === true }
      if (dryRun === true) {
        const ids = new Map(known.map((line) => [line.id, line]))
        const created = parsed.issues.filter(({ issue }) => !ids.has(issue.id)).map(({ issue }) => issue.id)
        const changed = parsed.issues.filter(({ issue, raw }) => ids.has(issue.id) && ids.get(issue.id)?.raw !== raw)
        return {
          ...outcome,
          created,
          updated: changed.map(({ issue }) => issue.id),
          unchangedCount: parsed.issues.length - created.length - changed.length,
          skipped: [],
          notices: parsed.notices,
        }
      }
      // An empty tracker takes the file over as it is written, byte for byte.
      if (isFirst && parsed.bad.length === 0 && this.files.stamp(place.path) === null) {
        const pending = this.files.prepare(place.path, [encodeFile(text)])
        await pending.commit()
        const file = { stamp: pending.stamp, hash: this.files.hash(encodeFile(text)) }
        const { created, notices } = await takeIn(this.store, tracker, parsed, known, file, nameOf(caller))
        return { ...outcome, created, updated: [], unchangedCount: 0, skipped: [], notices }
      }
      const taken = await takeIn(this.store, tracker, parsed, known, null, nameOf(caller), async (id) => {
        const [issue] = await this.store.issues.find(tracker.key, id)
        return issue?.updatedAt
      })
      const kept = parsed.kept.filter(({ kind }) => kind === 'other' || kind === 'header')
      const there = new Set((await this.store.write((tx) => tx.issues.keptLines(tracker.key))).map(({ raw }) => raw))
      const extra = kept.map(({ raw }) => raw).filter((raw) => !there.has(raw))
      if (this.writes() === 'always' || extra.length > 0)
        await flush(this.store, this.files, tracker, place.isBeads, extra)
      const { created, updated, unchangedCount, skipped } = taken
      return { ...outcome, created, updated, unchangedCount, skipped, notices: [...synced.notices, ...taken.notices] }
    })
  }

  private importedText(
    caller: Caller,
    { text, path }: { text?: string | undefined; path?: string | undefined },
  ): string {
    if (text !== undefined && path === undefined) return text
    if (path === undefined || text !== undefined) throw new AppError('invalid', 'give either text or path')
    if (caller.kind !== 'operator') throw new AppError('forbidden', 'only an operator may name a file to import')
    const file = this.files.read(path)
    if (file === null) throw new AppError('not_found', `there is no file ${path.slice(0, 500)}`)
    return decodeFile(file.bytes)
  }

  async export(caller: Caller, scope: IssueScope) {
    const { tracker: key, path, notices } = await this.enter(caller, scope)
    const trackers = await this.store.issues.trackers()
    const tracker = trackers.find((one) => one.key === key)
    if (key === null || tracker === undefined) {
      if (key === NO_TRACKER) return { tracker: key, text: '', notices }
      throw needsDir('export')
    }
    const style = tracker.style ?? newFileStyle(false)
    const { issues, kept } = await this.store.issues.lines(key)
    const file = path === null ? null : this.files.read(path)
    const isFile = file !== null && file.bytes.length > 0
    const patches = issues
      .filter(({ isDirty }) => isDirty || !isFile)
      .map((issue) => ({ id: issue.id, old: isFile ? issue.raw : null, raw: lineOf(issue, style), issue }))
    const others = isFile ? [] : kept.filter(({ kind }) => kind !== 'blank' && kind !== 'duplicate')
    const lines = others.map(({ raw }) => ({ id: '', old: null, raw, issue: null }))
    const parts = patchLines(file?.bytes ?? new Uint8Array(), [...patches, ...lines], style)
    return { tracker: key, text: decodeFile(Buffer.concat(parts)), notices }
  }

  async sync(caller: Caller, scope: IssueScope, { restore }: { restore?: boolean | undefined }): Promise<SyncOutcome> {
    mayWriteFiles(caller, 'sync')
    const { place } = await this.targetOf(caller, scope)
    if (place === null) throw needsDir('sync')
    return await this.exclusive(place, async () => {
      const { tracker, taken, notices } = await catchUp(this.store, this.files, place, nameOf(caller), true)
      if (restore === true)
        await this.store.write(async (tx) => {
          const lines = await tx.issues.knownLines(tracker.key)
          const absent = lines.filter(({ isAbsent }) => isAbsent)
          await tx.issues.setAbsent(
            absent.map(({ key }) => key),
            false,
          )
          for (const { key, raw } of absent) await tx.issues.markUnwritten(key, raw)
          await tx.issues.refreshBlocked(tracker.key, 'all')
        })
      const written = await flush(this.store, this.files, tracker, place.isBeads)
      const known = await this.store.write((tx) => tx.issues.knownLines(tracker.key))
      return {
        tracker: tracker.key,
        path: place.path,
        created: taken?.created ?? [],
        updated: taken?.updated ?? [],
        unchangedCount: taken?.unchangedCount ?? 0,
        skipped: [],
        written: written as IssueId[],
        absent: known.filter(({ isAbsent }) => isAbsent).map(({ id }) => id),
        notices,
        isDryRun: false,
      }
    })
  }

  async setStatuses(caller: Caller, scope: IssueScope, statuses: CustomStatus[]): Promise<Changed> {
    const catalog = statusCatalog(statuses)
    mayWriteFiles(caller, 'define statuses')
    const target = await this.targetOf(caller, scope)
    return await this.change(caller, scope, target, async (unit) => {
      await unit.issues.updateTracker(unit.key, { statuses })
      const known = await unit.issues.knownLines(unit.key)
      for (const { id } of known) {
        const issue = await unit.issues.find(unit.key, id)
        if (issue === undefined) continue
        const { key, isDeleted, isAbsent, isDirty, raw } = issue
        const state = { isDeleted, isAbsent, isDirty, raw }
        await unit.issues.save(unit.key, [
          { key, issue: onlyIssue(issue), facts: issueFacts(issue, catalog), state, keepsComments: true },
        ])
      }
      await unit.issues.refreshBlocked(unit.key, 'all')
      return []
    })
  }

  async sweep(): Promise<{ lapsed: number }> {
    let lapsed = 0
    for (const claim of await this.store.issues.claims()) {
      const now = this.now?.() ?? Date.now()
      const isGone = await isHolderGone(this.store, claim, now)
      if (isGone === (claim.goneAt !== null) && !(isGone && now - (claim.goneAt ?? now) >= CLAIM_GRACE_MS)) continue
      const trackers = await this.store.issues.trackers()
      const tracker = trackers.find(({ key }) => key === claim.trackerKey)
      if (tracker === undefined) continue
      const target = { place: placeOfTracker(this.files, tracker), tracker: tracker.key }
      await this.change({ kind: 'system' }, {}, target, async (unit) => {
        const there = await unit.issues.claim(claim.issueKey)
        const issue = await unit.issues.find(unit.key, claim.issueId)
        if (there === undefined || issue === undefined || there.since !== claim.since) return []
        if (!isGone || there.goneAt === null) {
          await unit.issues.putClaim({ ...there, goneAt: isGone ? unit.now : null })
          await tell(unit, issue, isGone ? 'holder_gone' : 'holder_back', { new: { holder: there.holder } })
        } else {
          await freeIssue(unit, issue, there.holder, 'claim_lapsed')
          lapsed++
        }
        return [issue.id]
      })
    }
    return { lapsed }
  }

  /** A unit that changes one issue. */
  private async changeOne<Refs = undefined>(
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
  private async change(
    caller: IssueCaller,
    scope: IssueScope,
    { place, tracker }: Target,
    work: (unit: IssueUnit) => Promise<IssueId[]>,
  ): Promise<Changed> {
    if (place === null) {
      const key = tracker ?? HOME_TRACKER
      return await this.store.write((tx) => this.inUnit(tx, key, caller, scope, [], work))
    }
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

  private async inUnit(
    tx: WriteTx,
    key: TrackerKey,
    caller: IssueCaller,
    scope: IssueScope,
    notices: string[],
    work: (unit: IssueUnit) => Promise<IssueId[]>,
  ): Promise<Changed> {
    const tracker = await tx.issues.tracker(key)
    if (tracker === undefined) throw new AppError('not_found', 'the tracker is gone')
    const unit = await issueUnit(tx, tracker, caller, scope, this.now?.() ?? tx.now, notices)
    const ids = await work(unit)
    return { tracker: key, ids, notices: unit.notices }
  }

  private exclusive<T>(place: IssuePlace, work: () => Promise<T>): Promise<T> {
    return this.inTurn(place.path, () => this.files.lock(place.path, work))
  }

  private async targetOf(caller: Caller, scope: IssueScope): Promise<Target> {
    const place = await placeOf(this.store, this.files, caller, scope)
    if (place === null) return { place: null, tracker: null }
    const entered = await this.enterPlace(place)
    return { place, tracker: entered.tracker }
  }

  private async placeOfKey(key: TrackerKey): Promise<IssuePlace | null> {
    const tracker = (await this.store.issues.trackers()).find((one) => one.key === key)
    return tracker === undefined ? null : placeOfTracker(this.files, tracker)
  }

  private async resolve(tracker: TrackerKey | null, ref: string): Promise<IssueId> {
    return (await resolveIssue(this.store, tracker, ref)).id
  }

  /** The target of an edge may lie outside of the tracker. */
  private target(tracker: TrackerKey | null, ref: string): Promise<IssueId> {
    return isExternalTarget(ref) ? Promise.resolve(ref as IssueId) : this.resolve(tracker, ref)
  }

  private resolveAll(tracker: TrackerKey | null, refs: readonly string[]): Promise<IssueId[]> {
    return Promise.all(refs.map((ref) => this.target(tracker, ref)))
  }
}

const nameOf = (caller: Caller): string => (caller.kind === 'operator' ? 'operator' : caller.agentId)

function mayWriteFiles(caller: Caller, what: string): void {
  if (caller.kind === 'attempt' || (caller.kind === 'agent' && caller.agentKind !== 'lead'))
    throw new AppError('forbidden', `only an operator or a lead may ${what} issues`)
}

const needsDir = (what: string): AppError =>
  new AppError('invalid', `${what}: which project is meant?`, { hint: 'Give dir: a folder of the project.' })

/** For a change that touches the issue itself and no other. */
function alone<Refs>(work: (unit: IssueUnit, issue: StoredIssue, refs: Refs) => Promise<void>) {
  return async (unit: IssueUnit, issue: StoredIssue, refs: Refs): Promise<undefined> => {
    await work(unit, issue, refs)
    return undefined
  }
}
