import type { IssueId, IssueKey, TrackerKey } from '../../../domain/ids'
import type { IssueComment } from '../../../domain/issue/issue'
import type { KnownLine, StoredIssue } from '../../../domain/issue/issue-store'
import type { TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run, type Value } from '../../sql/program'
import { type SelectedIssue, STORED_COLUMNS, toStored } from '../rows'

export const COMMENTS = `select native_id as id, author as author, text as text, created_text as "createdAt"
  from issue_comments where issue_id = ? order by id`

export function* findIssue(tracker: TrackerKey, id: IssueId): Program<StoredIssue | undefined> {
  const found = yield* first<SelectedIssue & Record<string, Value>>(
    `select ${STORED_COLUMNS} from issues i where i.tracker_id = ? and i.public_id = ?`,
    tracker,
    id,
  )
  return found && toStored(found, yield* commentsOf(found.key))
}

function* commentsOf(key: IssueKey): Program<IssueComment[]> {
  const found = yield* rows<IssueComment>(COMMENTS, key)
  return found.map((row) => ({ ...row }))
}

export function* dirtyIssues(tracker: TrackerKey): Program<StoredIssue[]> {
  const found = yield* rows<SelectedIssue & Record<string, Value>>(
    `select ${STORED_COLUMNS} from issues i where i.tracker_id = ? and i.is_dirty = 1 order by i.id`,
    tracker,
  )
  const issues: StoredIssue[] = []
  for (const row of found) {
    const hasComments = row.commentCount !== 0
    issues.push(toStored(row, hasComments ? yield* commentsOf(row.key) : []))
  }
  return issues
}

export function* knownLines(tracker: TrackerKey): Program<KnownLine[]> {
  const found = yield* rows<{
    key: IssueKey
    id: IssueId
    raw: string | null
    dirty: number
    absent: number
    deleted: number
  }>(
    `select id as "key", public_id as id, raw as raw, is_dirty as dirty, is_absent as absent, is_deleted as deleted
       from issues where tracker_id = ? order by id`,
    tracker,
  )
  return found.map(({ dirty, absent, deleted, ...row }) => ({
    ...row,
    isDirty: dirty !== 0,
    isAbsent: absent !== 0,
    isDeleted: deleted !== 0,
  }))
}

export function* settle(lines: readonly { key: IssueKey; raw: string | null }[]): Program<void> {
  for (const { key, raw } of lines)
    yield* run('update issues set raw = ?, is_dirty = 0, is_absent = 0 where id = ?', raw, key)
}

export function* markUnwritten(key: IssueKey, raw: string | null): Program<void> {
  yield* run('update issues set raw = ?, is_dirty = 1 where id = ?', raw, key)
}

export function* setAbsent(db: TaskDialect, keys: readonly IssueKey[], isAbsent: boolean): Program<void> {
  if (keys.length > 0)
    yield* run(`update issues set is_absent = ? where ${db.inKeys('id')}`, isAbsent ? 1 : 0, db.keyList(keys))
}

export function* setAllDirty(tracker: TrackerKey): Program<void> {
  yield* run(
    'update issues set is_dirty = 1 where tracker_id = ? and is_absent = 0 and (is_deleted = 0 or raw is not null)',
    tracker,
  )
}

export function* takenIds(db: TaskDialect, tracker: TrackerKey, ids: readonly IssueId[]): Program<IssueId[]> {
  const found = yield* rows<{ id: IssueId }>(
    `select i.public_id as id from issues i where i.tracker_id = ? and ${db.inTexts('i.public_id')}`,
    tracker,
    db.textList(ids),
  )
  return found.map(({ id }) => id)
}

/** Sorts after every character that an id has. */
export const LAST_CHARACTER = '\u{10ffff}'

export function* idsUnder(tracker: TrackerKey, prefix: string): Program<IssueId[]> {
  const found = yield* rows<{ id: IssueId }>(
    'select public_id as id from issues where tracker_id = ? and public_id >= ? and public_id < ? order by public_id',
    tracker,
    prefix,
    prefix + LAST_CHARACTER,
  )
  return found.map(({ id }) => id)
}

export function* openChildren(tracker: TrackerKey, id: IssueId): Program<IssueId[]> {
  const found = yield* rows<{ id: IssueId }>(
    `select c.public_id as id from issue_parents p join issues c on c.id = p.issue_id
      where p.tracker_id = ? and p.parent = ? and c.is_over = 0 and c.is_deleted = 0 and c.is_absent = 0
      order by c.public_id`,
    tracker,
    id,
  )
  return found.map((row) => row.id)
}

export function* isAwaited(tracker: TrackerKey, id: IssueId): Program<boolean> {
  const found = yield* first(
    `select 1 as found where exists (select 1 from issue_dependencies where tracker_id = ? and depends_on = ?)
       or exists (select 1 from issue_parents where tracker_id = ? and parent = ?)`,
    tracker,
    id,
    tracker,
    id,
  )
  return found !== undefined
}

export function* dependents(tracker: TrackerKey, id: IssueId): Program<IssueId[]> {
  const found = yield* rows<{ id: IssueId }>(
    `select i.public_id as id from issue_dependencies d join issues i on i.id = d.issue_id
      where d.tracker_id = ? and d.depends_on = ? and i.is_deleted = 0 order by i.public_id`,
    tracker,
    id,
  )
  return found.map((row) => row.id)
}
