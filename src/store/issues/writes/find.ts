import { type Kysely, sql } from 'kysely'
import { type IssueId, type IssueKey, issueId, type TrackerKey } from '../../../domain/ids'
import type { IssueComment } from '../../../domain/issue/issue'
import type { KnownLine, StoredIssue } from '../../../domain/issue/issue-store'
import { isAmongKeys, isAmongTexts } from '../../sql/among'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { selectRows } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'
import { ISSUE, toStored } from '../rows'

const stored = (db: Kysely<Schema>) => selectRows(db, ISSUE, 'i').select(['i.id as key', 'i.is_blocked as isBlocked'])
const FIND = statement<{ tracker: TrackerKey; id: IssueId }>()((db, param) =>
  stored(db).where('i.tracker_id', '=', param('tracker')).where('i.public_id', '=', param('id')),
)
const COMMENTS = statement<{ key: IssueKey }>()((db, param) =>
  db
    .selectFrom('issue_comments as c')
    .select(['c.native_id as id', 'c.author', 'c.text', 'c.created_text as createdAt'])
    .where('c.issue_id', '=', param('key'))
    .orderBy('c.id'),
)

export function* findIssue(tracker: TrackerKey, id: IssueId): Program<StoredIssue | undefined> {
  const found = yield* FIND.first({ tracker, id })
  return found && toStored(found, yield* commentsOf(found.key))
}

const commentsOf = (key: IssueKey): Program<IssueComment[]> => COMMENTS.rows({ key })

const DIRTY = statement<{ tracker: TrackerKey }>()((db, param) =>
  stored(db).where('i.tracker_id', '=', param('tracker')).where('i.is_dirty', '=', 1).orderBy('i.id'),
)

export function* dirtyIssues(tracker: TrackerKey): Program<StoredIssue[]> {
  const issues: StoredIssue[] = []
  for (const row of yield* DIRTY.rows({ tracker })) {
    const hasComments = row.commentCount !== 0
    issues.push(toStored(row, hasComments ? yield* commentsOf(row.key) : []))
  }
  return issues
}

const KNOWN = statement<{ tracker: TrackerKey }>()((db, param) =>
  db
    .selectFrom('issues as i')
    .select([
      'i.id as key',
      'i.public_id as id',
      'i.raw',
      'i.is_dirty as dirty',
      'i.is_absent as absent',
      'i.is_deleted as deleted',
    ])
    .where('i.tracker_id', '=', param('tracker'))
    .orderBy('i.id'),
)

export function* knownLines(tracker: TrackerKey): Program<KnownLine[]> {
  const found = yield* KNOWN.rows({ tracker })
  return found.map(({ dirty, absent, deleted, ...row }) => ({
    ...row,
    isDirty: dirty !== 0,
    isAbsent: absent !== 0,
    isDeleted: deleted !== 0,
  }))
}

const SETTLE = statement<{ key: IssueKey; raw: string | null }>()((db, param) =>
  db
    .updateTable('issues')
    .set({ raw: param('raw'), is_dirty: 0, is_absent: 0 })
    .where('id', '=', param('key')),
)

export function* settle(lines: readonly { key: IssueKey; raw: string | null }[]): Program<void> {
  for (const line of lines) yield* SETTLE.run(line)
}

const UNWRITTEN = statement<{ key: IssueKey; raw: string | null }>()((db, param) =>
  db
    .updateTable('issues')
    .set({ raw: param('raw'), is_dirty: 1 })
    .where('id', '=', param('key')),
)

export function* markUnwritten(key: IssueKey, raw: string | null): Program<void> {
  yield* UNWRITTEN.run({ key, raw })
}

const SET_ABSENT = perDialect((words) =>
  statement<{ keys: string; absent: number }>()((db, param) =>
    db
      .updateTable('issues')
      .set({ is_absent: param('absent') })
      .where((eb) => isAmongKeys(words, eb.ref('id'), param('keys'))),
  ),
)

export function* setAbsent(db: TaskDialect, keys: readonly IssueKey[], isAbsent: boolean): Program<void> {
  if (keys.length > 0) yield* SET_ABSENT(db).run({ absent: isAbsent ? 1 : 0, keys: db.keyList(keys) })
}

const ALL_DIRTY = statement<{ tracker: TrackerKey }>()((db, param) =>
  db
    .updateTable('issues')
    .set({ is_dirty: 1 })
    .where('tracker_id', '=', param('tracker'))
    .where('is_absent', '=', 0)
    .where((eb) => eb.or([eb('is_deleted', '=', 0), eb('raw', 'is not', null)])),
)

export function* setAllDirty(tracker: TrackerKey): Program<void> {
  yield* ALL_DIRTY.run({ tracker })
}

const TAKEN = perDialect((words) =>
  statement<{ tracker: TrackerKey; ids: string }>()((db, param) =>
    db
      .selectFrom('issues as i')
      .select('i.public_id as id')
      .where('i.tracker_id', '=', param('tracker'))
      .where((eb) => isAmongTexts(words, eb.ref('i.public_id'), param('ids'))),
  ),
)

export function* takenIds(db: TaskDialect, tracker: TrackerKey, ids: readonly IssueId[]): Program<IssueId[]> {
  return (yield* TAKEN(db).rows({ tracker, ids: db.textList(ids) })).map(({ id }) => id)
}

/** Sorts after every character that an id has. */
export const LAST_CHARACTER = '\u{10ffff}'

const UNDER = statement<{ tracker: TrackerKey; from: IssueId; to: IssueId }>()((db, param) =>
  db
    .selectFrom('issues')
    .select('public_id as id')
    .where('tracker_id', '=', param('tracker'))
    .where('public_id', '>=', param('from'))
    .where('public_id', '<', param('to'))
    .orderBy('public_id'),
)

export function* idsUnder(tracker: TrackerKey, prefix: string): Program<IssueId[]> {
  const found = yield* UNDER.rows({ tracker, from: issueId(prefix), to: issueId(prefix + LAST_CHARACTER) })
  return found.map(({ id }) => id)
}

const OPEN_CHILDREN = statement<{ tracker: TrackerKey; id: IssueId }>()((db, param) =>
  db
    .selectFrom('issue_parents as p')
    .innerJoin('issues as c', 'c.id', 'p.issue_id')
    .select('c.public_id as id')
    .where('p.tracker_id', '=', param('tracker'))
    .where('p.parent', '=', param('id'))
    .where('c.is_over', '=', 0)
    .where('c.is_deleted', '=', 0)
    .where('c.is_absent', '=', 0)
    .orderBy('c.public_id'),
)

export function* openChildren(tracker: TrackerKey, id: IssueId): Program<IssueId[]> {
  return (yield* OPEN_CHILDREN.rows({ tracker, id })).map((row) => row.id)
}

const AWAITED = statement<{ tracker: TrackerKey; id: IssueId }>()((db, param) =>
  db
    .selectFrom('issue_dependencies')
    .select(sql.lit(1).as('found'))
    .where('tracker_id', '=', param('tracker'))
    .where('depends_on', '=', param('id'))
    .unionAll(
      db
        .selectFrom('issue_parents')
        .select(sql.lit(1).as('found'))
        .where('tracker_id', '=', param('tracker'))
        .where('parent', '=', param('id')),
    )
    .limit(1),
)

export function* isAwaited(tracker: TrackerKey, id: IssueId): Program<boolean> {
  return (yield* AWAITED.first({ tracker, id })) !== undefined
}

const DEPENDENTS = statement<{ tracker: TrackerKey; id: IssueId }>()((db, param) =>
  db
    .selectFrom('issue_dependencies as d')
    .innerJoin('issues as i', 'i.id', 'd.issue_id')
    .select('i.public_id as id')
    .where('d.tracker_id', '=', param('tracker'))
    .where('d.depends_on', '=', param('id'))
    .where('i.is_deleted', '=', 0)
    .orderBy('i.public_id'),
)

export function* dependents(tracker: TrackerKey, id: IssueId): Program<IssueId[]> {
  return (yield* DEPENDENTS.rows({ tracker, id })).map((row) => row.id)
}
