import { AppError } from '../../../domain/errors'
import type { IssueId } from '../../../domain/ids'
import { issueFacts } from '../../../domain/issue/issue-facts'
import { changedStatuses, type StatusChange, statusCatalog } from '../../../domain/issue/issue-status'
import type { Caller } from '../../../domain/task/worker-protocol'
import { decodeFile, encodeFile } from '../../issue-file/file-text'
import { parseIssueFile } from '../../issue-file/parse'
import { newFileStyle } from '../../issue-file/style'
import { ingest } from '../ingest'
import type { Changed, ImportOutcome, IssueScope, SyncOutcome } from '../issue-inputs'
import { onlyIssue } from '../issue-unit'
import { readKept } from '../kept/read-kept'
import { patchLines } from '../patch-lines'
import { lineOf } from '../write-out'
import { catchUp, flush, NO_TRACKER } from './tracker-sync'
import type { TrackerUnits } from './tracker-units'

/** The use cases that concern a whole tracker and its file. */
export class FileService {
  private readonly units: TrackerUnits

  constructor(units: TrackerUnits) {
    this.units = units
  }

  /** Upserts by id; never deletes. `text`: lines of issues, of any era; or `path`: a file of them, absolute, for operators. */
  async import(
    caller: Caller,
    scope: IssueScope,
    input: { text?: string | undefined; path?: string | undefined; dryRun?: boolean | undefined },
  ): Promise<ImportOutcome> {
    mayWriteFiles(caller, 'import')
    const { dryRun } = input
    const text = this.importedText(caller, input)
    const target = await this.units.targetOf(caller, scope)
    if (target.place === null) throw needsDir('import')
    const { place } = target
    if (dryRun !== true) this.units.mustBeWritable(place)
    return await this.units.exclusive(place, async () => {
      const synced = await catchUp(this.units.store, this.units.files, place, nameOf(caller))
      const { tracker } = synced
      const parsed = parseIssueFile(text, { isBeads: place.isBeads })
      const known = await this.units.store.write((tx) => tx.issues.knownLines(tracker.key))
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
      if (isFirst && parsed.bad.length === 0 && this.units.files.stamp(place.path) === null) {
        const bytes = encodeFile(text)
        const pending = this.units.files.prepare(place.path, [bytes])
        await pending.commit()
        const file = { stamp: pending.stamp, hash: this.units.files.hash(bytes) }
        const { created, notices } = await ingest(this.units.store, tracker, parsed, known, file, nameOf(caller))
        return { ...outcome, created, updated: [], unchangedCount: 0, skipped: [], notices }
      }
      const taken = await ingest(this.units.store, tracker, parsed, known, null, nameOf(caller), async (id) => {
        const [issue] = await this.units.store.issues.find(tracker.key, id)
        return issue?.updatedAt
      })
      const kept = parsed.kept.filter(({ kind }) => kind === 'other' || kind === 'header')
      const keptLines = new Set(
        (await this.units.store.write((tx) => tx.issues.keptLines(tracker.key))).map(({ raw }) => raw),
      )
      const extra = kept.map(({ raw }) => raw).filter((raw) => !keptLines.has(raw))
      if (this.units.writes() === 'always' || extra.length > 0)
        await flush(this.units.store, this.units.files, tracker, place.isBeads, extra)
      const { created, updated, unchangedCount, skipped } = taken
      return { ...outcome, created, updated, unchangedCount, skipped, notices: [...synced.notices, ...taken.notices] }
    })
  }

  private importedText(
    caller: Caller,
    { text, path }: { text?: string | undefined; path?: string | undefined },
  ): string {
    if (text !== undefined && path === undefined) return text
    if (path === undefined || text !== undefined) throw new AppError('invalid', 'Pass either `text` or `path`.')
    if (caller.kind !== 'operator') throw new AppError('forbidden', 'Only an operator may name a file to import.')
    const file = this.units.files.read(path)
    if (file === null) throw new AppError('not_found', `There is no file ${path.slice(0, 500)}.`)
    return decodeFile(file.bytes)
  }

  /** The tracker's file as it is or would be. */
  async export(caller: Caller, scope: IssueScope) {
    const { tracker: key, path, notices } = await this.units.resolveScope(caller, scope)
    const trackers = await this.units.store.issues.trackers()
    const tracker = trackers.find((one) => one.key === key)
    if (key === null || tracker === undefined) {
      if (key === NO_TRACKER) return { tracker: key, text: '', notices }
      throw needsDir('export')
    }
    const style = tracker.style ?? newFileStyle(false)
    const { issues, kept } = await this.units.store.issues.lines(key)
    // Beside a program that keeps the issues the file is an older copy.
    const file = path === null || this.units.files.keeper(path) !== null ? null : this.units.files.read(path)
    const isFile = file !== null && file.bytes.length > 0
    const patches = issues
      .filter(({ isDirty }) => isDirty || !isFile)
      .map((issue) => ({ id: issue.id, old: isFile ? issue.raw : null, raw: lineOf(issue, style), issue }))
    const others = isFile ? [] : kept.filter(({ kind }) => kind !== 'blank' && kind !== 'duplicate')
    const lines = others.map(({ raw }) => ({ id: '', old: null, raw, issue: null }))
    const parts = patchLines(file?.bytes ?? new Uint8Array(), [...patches, ...lines], style)
    return { tracker: key, text: decodeFile(Buffer.concat(parts)), notices }
  }

  /**
   * Reads the whole file again and writes what it lacks.
   * @param restore  writes issues back that the file had once and has no longer
   */
  async sync(caller: Caller, scope: IssueScope, { restore }: { restore?: boolean | undefined }): Promise<SyncOutcome> {
    mayWriteFiles(caller, 'sync')
    const { place } = await this.units.targetOf(caller, scope)
    if (place === null) throw needsDir('sync')
    const isReadOnly = this.units.files.readOnly(place.path) !== null
    if (restore === true) this.units.mustBeWritable(place)
    const { store, files } = this.units
    return await this.units.exclusive(place, async () => {
      const keeper = files.keeper(place.path)
      const { tracker, taken, notices } =
        keeper === null
          ? await catchUp(store, files, place, nameOf(caller), true)
          : await readKept(store, files, place, keeper, nameOf(caller), true)
      if (restore === true)
        await this.units.store.write(async (tx) => {
          const lines = await tx.issues.knownLines(tracker.key)
          const absent = lines.filter(({ isAbsent }) => isAbsent)
          await tx.issues.setAbsent(
            absent.map(({ key }) => key),
            false,
          )
          for (const { key, raw } of absent) await tx.issues.markUnwritten(key, raw)
          await tx.issues.refreshBlocked(tracker.key, 'all')
        })
      const written = isReadOnly ? [] : await flush(this.units.store, this.units.files, tracker, place.isBeads)
      const known = await this.units.store.write((tx) => tx.issues.knownLines(tracker.key))
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

  /** Errors as `changedStatuses`. */
  async setStatuses(caller: Caller, scope: IssueScope, change: StatusChange): Promise<Changed> {
    mayWriteFiles(caller, 'define statuses')
    const target = await this.units.targetOf(caller, scope)
    if (target.place !== null) this.units.mustBeWritable(target.place)
    return await this.units.change(caller, scope, target, async (unit) => {
      const statuses = changedStatuses(unit.tracker.statuses, change)
      const catalog = statusCatalog(statuses)
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
}

const nameOf = (caller: Caller): string => ('agentId' in caller ? caller.agentId : caller.kind)

function mayWriteFiles(caller: Caller, what: string): void {
  if (caller.kind === 'viewer' || caller.kind === 'attempt' || (caller.kind === 'agent' && caller.agentKind !== 'lead'))
    throw new AppError('forbidden', `Only an operator or a lead may ${what} issues.`)
}

const needsDir = (what: string): AppError =>
  new AppError('invalid', `${what}: which project is meant?`, { hint: 'Pass `dir`, a folder of the project.' })
