import type { IssueId } from '../../domain/ids'
import { issueFacts } from '../../domain/issue/issue-facts'
import type { IssueLine, ParsedIssueFile } from '../../domain/issue/issue-file'
import { type StatusCatalog, statusCatalog } from '../../domain/issue/issue-status'
import type {
  FileStamp,
  IssueHistoryRow,
  IssueTx,
  KnownLine,
  SavedIssue,
  Tracker,
} from '../../domain/issue/issue-store'
import { issueTimeMs } from '../../domain/issue/issue-time'
import type { Store, WriteTx } from '../../domain/store'
import { decodeIssue } from '../issue-file/decode'
import { mergeLines } from '../issue-file/merge-line'
import { fileHistory } from './file-history'
import { lineOf } from './write-out'

/** Issues of one unit: others that wait for the database get their turn in between. */
const CHUNK = 2_000
/** Changed issues that get history rows each: more are a merge, which the feed reports as a whole. */
const MAX_LOGGED_ISSUES = 200

export interface Ingested {
  created: IssueId[]
  updated: IssueId[]
  unchangedCount: number
  /** Not taken from an import: older than what is here. */
  skipped: IssueId[]
  /** The file had them and has them no longer. */
  absent: IssueId[]
  notices: string[]
}

interface Plan extends Ingested {
  saves: { line: IssueLine; known: KnownLine | undefined }[]
  /** Keys of issues that are out of the file now, or back with the line that they had. */
  gone: KnownLine[]
  back: KnownLine[]
  buried: { known: KnownLine; raw: string }[]
}

/**
 * Stores the content of a parsed file. Nothing is ever deleted because it is missing: what is no longer in the file is hidden
 * until it returns; only a tombstone deletes.
 *
 * @param file  how the file is; `null` = the text is another's, to be merged into ours: then nothing is absent, lines older than what
 *   is here are passed over, tombstones bury nobody, and what is new has still to be written
 */
export async function ingest(
  store: Store,
  tracker: Tracker,
  parsed: ParsedIssueFile,
  known: readonly KnownLine[],
  file: { stamp: FileStamp; hash: string } | null,
  by: string,
  olderThan: (id: IssueId) => Promise<string | undefined> = async () => undefined,
): Promise<Ingested> {
  const statuses = statusCatalog(tracker.statuses)
  const plan = await planOf(parsed, known, file !== null, olderThan)
  const ids = [...plan.created, ...plan.updated]
  const isLarge = plan.saves.length > CHUNK
  const former = new Set<IssueId>()
  for (let at = 0; ; at += CHUNK) {
    const chunk = plan.saves.slice(at, at + CHUNK)
    const isLast = at + CHUNK >= plan.saves.length
    await store.write(
      async (tx) => {
        await tx.issues.lock(tracker.key)
        for (const id of await saveLines(tx, tracker, statuses, chunk, file !== null, plan.notices)) former.add(id)
        if (isLast) await conclude(tx, tracker, parsed, plan, file, { by, isLarge, ids, former: [...former] })
      },
      { weight: isLarge ? 'bulk' : 'interactive' },
    )
    if (isLast) break
  }
  return plan
}

async function planOf(
  parsed: ParsedIssueFile,
  known: readonly KnownLine[],
  isFile: boolean,
  olderThan: (id: IssueId) => Promise<string | undefined>,
): Promise<Plan> {
  const byId = new Map(known.map((line) => [line.id, line]))
  const plan: Plan = {
    created: [],
    updated: [],
    unchangedCount: 0,
    skipped: [],
    absent: [],
    notices: [...parsed.notices],
    saves: [],
    gone: [],
    back: [],
    buried: [],
  }
  const seen = new Set<string>()
  for (const line of parsed.issues) {
    const { id } = line.issue
    seen.add(id)
    const stored = byId.get(id)
    if (stored !== undefined && stored.raw === line.raw && !stored.isDeleted) {
      plan.unchangedCount++
      if (stored.isAbsent && isFile) plan.back.push(stored)
      continue
    }
    if (stored !== undefined && !isFile) {
      const ours = await olderThan(id)
      if (ours !== undefined && (issueTimeMs(ours) ?? 0) > (issueTimeMs(line.issue.updatedAt) ?? 0)) {
        plan.skipped.push(id)
        continue
      }
    }
    plan.saves.push({ line, known: stored })
    if (stored === undefined) plan.created.push(id)
    else plan.updated.push(id)
  }
  if (!isFile) return plan
  const tombstones = new Map(parsed.kept.filter(({ kind }) => kind === 'tombstone').map((line) => [line.id, line.raw]))
  for (const line of known) {
    if (seen.has(line.id)) continue
    const tombstone = tombstones.get(line.id)
    if (tombstone !== undefined) {
      if (!line.isDeleted || line.raw !== tombstone) plan.buried.push({ known: line, raw: tombstone })
    } else if (line.raw !== null && !line.isAbsent && !line.isDeleted && !line.isDirty) {
      plan.gone.push(line)
      plan.absent.push(line.id)
    }
  }
  return plan
}

async function saveLines(
  tx: WriteTx,
  tracker: Tracker,
  statuses: StatusCatalog,
  lines: Plan['saves'],
  isFile: boolean,
  notices: string[],
): Promise<IssueId[]> {
  const saves: SavedIssue[] = []
  const news: IssueHistoryRow[] = []
  const isTold = lines.filter(({ known }) => known !== undefined).length <= MAX_LOGGED_ISSUES
  for (const { line, known } of lines) {
    const merged = known?.isDirty === true && isFile ? await mergedWithOurs(tx.issues, tracker, line, notices) : null
    const issue = merged ?? line.issue
    const before = known === undefined || !isTold ? undefined : await tx.issues.find(tracker.key, issue.id)
    if (before !== undefined) news.push(...fileHistory(before, issue, tx.now))
    saves.push({
      key: known?.key ?? null,
      issue,
      facts: issueFacts(issue, statuses),
      state: { isDeleted: false, isAbsent: false, isDirty: merged !== null || !isFile, raw: line.raw },
    })
    // A line of another file takes the place of ours, byte for byte, by first having it as the line that is known.
    if (known !== undefined && statuses.isDone(issue.status)) await tx.issues.removeClaim(known.key)
  }
  const former = await tx.issues.save(tracker.key, saves)
  await tx.issues.addHistory(news)
  return former
}

/** Both changed it since they were last the same: by field, with the line that both had as the base. */
async function mergedWithOurs(issues: IssueTx, tracker: Tracker, line: IssueLine, notices: string[]) {
  const ours = await issues.find(tracker.key, line.issue.id)
  if (ours === undefined || tracker.style === null) return null
  const { raw, decisions } = mergeLines(ours.raw, lineOf(ours, tracker.style), line.raw, tracker.style)
  for (const { id, field, taken, reason } of decisions) notices.push(`${id} ${field}: ${taken} (${reason})`)
  return decodeIssue(JSON.parse(raw) as Record<string, unknown>)
}

async function conclude(
  tx: WriteTx,
  tracker: Tracker,
  parsed: ParsedIssueFile,
  plan: Plan,
  file: { stamp: FileStamp; hash: string } | null,
  { by, isLarge, ids, former }: { by: string; isLarge: boolean; ids: IssueId[]; former: IssueId[] },
): Promise<void> {
  const { issues } = tx
  await issues.setAbsent(
    plan.gone.map(({ key }) => key),
    true,
  )
  await issues.setAbsent(
    plan.back.map(({ key }) => key),
    false,
  )
  for (const { known, raw } of plan.buried) await bury(tx, tracker, known, raw)
  const touched = [
    ...ids,
    ...[...plan.gone, ...plan.back, ...plan.buried.map(({ known }) => known)].map(({ id }) => id),
  ]
  await issues.refreshBlocked(tracker.key, isLarge || touched.length > 200 ? 'all' : [...touched, ...former])
  if (file !== null) {
    await issues.replaceKeptLines(tracker.key, parsed.kept)
    await issues.updateTracker(tracker.key, {
      stamp: file.stamp,
      formerStamp: null,
      hash: file.hash,
      style: parsed.style,
      ...(tracker.stamp === null && tracker.hash === null && { prefix: prefixOf(parsed) ?? tracker.prefix }),
    })
  }
  if (touched.length > 0)
    await tx.appendFeed('issues.imported', null, {
      path: tracker.path,
      created: plan.created.length,
      updated: plan.updated.length,
      absent: plan.gone.length,
      issueIds: touched.slice(0, 100),
      by,
    })
}

async function bury(tx: WriteTx, tracker: Tracker, known: KnownLine, raw: string): Promise<void> {
  const issue = await tx.issues.find(tracker.key, known.id)
  if (issue === undefined) return
  await tx.issues.removeClaim(known.key)
  await tx.issues.save(tracker.key, [
    {
      key: known.key,
      issue,
      facts: issueFacts(issue, statusCatalog(tracker.statuses)),
      state: { isDeleted: true, isAbsent: false, isDirty: false, raw },
    },
  ])
}

/** The prefix that most root ids have. */
function prefixOf({ issues }: ParsedIssueFile): string | null {
  const counts = new Map<string, number>()
  for (const { issue } of issues) {
    const prefix = /^(.+)-[^-]+$/.exec(issue.id)?.[1]
    if (prefix !== undefined && !issue.id.includes('.')) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}
