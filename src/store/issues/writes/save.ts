import type { IssueId, IssueKey, TrackerKey } from '../../../domain/ids'
import type { SavedIssue } from '../../../domain/issue/issue-store'
import type { TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run, type Value } from '../../sql/program'
import { ISSUE, ISSUE_FIELDS, recordOf, recordValues } from '../rows'

/** Rows of one statement: a database counts at most 32,766 parameters, and few sizes are few statements to compile. */
const BATCHES = [100, 10, 1] as const

/** Inserts rows with as few statements as that takes. */
function* insertRows(table: string, columns: readonly string[], all: readonly Value[][], end = ''): Program<void> {
  let at = 0
  while (at < all.length) {
    const size = BATCHES.find((one) => one <= all.length - at) ?? 1
    const row = `(${columns.map(() => '?').join(', ')})`
    const sql = `insert into ${table} (${columns.join(', ')}) values ${Array(size).fill(row).join(', ')} ${end}`
    yield* run(sql, ...all.slice(at, at + size).flat())
    at += size
  }
}

const COLUMNS = ISSUE.columns(ISSUE_FIELDS)
const UPDATE = `update issues set ${COLUMNS.map((column) => `${column} = ?`).join(', ')} where id = ?`
const UPDATE_PARTS = COLUMNS.filter((column) => column !== 'comment_count')
const UPDATE_BUT_COMMENTS = `update issues set ${UPDATE_PARTS.map((column) => `${column} = ?`).join(', ')} where id = ?`

export function* saveIssues(db: TaskDialect, tracker: TrackerKey, issues: readonly SavedIssue[]): Program<IssueId[]> {
  const news = issues.filter(({ key }) => key === null)
  const old = issues.filter(({ key }) => key !== null)
  yield* insertRows(
    'issues',
    [...COLUMNS, 'is_blocked'],
    news.map((one) => [...recordValues(recordOf(tracker, one)), 0]),
  )
  for (const one of old) {
    const values = recordValues(recordOf(tracker, one))
    if (one.keepsComments === true) {
      yield* run(UPDATE_BUT_COMMENTS, ...values.filter((_, at) => COLUMNS[at] !== 'comment_count'), one.key)
    } else yield* run(UPDATE, ...values, one.key)
  }
  const keyed = yield* withKeys(db, tracker, issues)
  const former = yield* formerParents(db, old)
  yield* replaceParts(db, tracker, keyed)
  return former
}

/** Parents that issues have until now and are to have no longer. */
function* formerParents(db: TaskDialect, issues: readonly SavedIssue[]): Program<IssueId[]> {
  if (issues.length === 0) return []
  const found = yield* rows<{ key: IssueKey; parent: IssueId }>(
    `select p.issue_id as "key", p.parent as parent from issue_parents p where ${db.inKeys('p.issue_id')}`,
    db.keyList(issues.flatMap(({ key }) => (key === null ? [] : [key]))),
  )
  const kept = new Map(issues.map(({ key, facts }) => [key, new Set(facts.parents)]))
  return [
    ...new Set(found.filter(({ key, parent }) => kept.get(key)?.has(parent) !== true).map(({ parent }) => parent)),
  ]
}

type Keyed = SavedIssue & { key: IssueKey }

/** New issues with the keys that they were given. */
function* withKeys(db: TaskDialect, tracker: TrackerKey, issues: readonly SavedIssue[]): Program<Keyed[]> {
  const news = issues.filter(({ key }) => key === null).map(({ issue }) => issue.id)
  const keys = new Map<string, IssueKey>()
  for (let at = 0; at < news.length; at += 1_000) {
    const found = yield* rows<{ key: IssueKey; id: string }>(
      `select i.id as "key", i.public_id as id from issues i where i.tracker_id = ? and ${db.inTexts('i.public_id')}`,
      tracker,
      db.textList(news.slice(at, at + 1_000)),
    )
    for (const { key, id } of found) keys.set(id, key)
  }
  return issues.flatMap((one) => {
    const key = one.key ?? keys.get(one.issue.id)
    return key === undefined ? [] : [{ ...one, key }]
  })
}

/** Labels, edges, parents and comments, as they are now. */
function* replaceParts(db: TaskDialect, tracker: TrackerKey, issues: readonly Keyed[]): Program<void> {
  const commented = issues.filter(({ keepsComments }) => keepsComments !== true)
  // `keyed` holds new ones too; their deletes find nothing and cost one look-up for all.
  const keys = db.keyList(issues.map(({ key }) => key))
  for (const table of ['issue_labels', 'issue_dependencies', 'issue_parents'])
    yield* run(`delete from ${table} where ${db.inKeys('issue_id')}`, keys)
  if (commented.length > 0)
    yield* run(`delete from issue_comments where ${db.inKeys('issue_id')}`, db.keyList(commented.map(({ key }) => key)))
  yield* insertRows(
    'issue_labels',
    ['issue_id', 'tracker_id', 'label'],
    issues.flatMap(({ key, issue }) => [...new Set(issue.labels)].map((label) => [key, tracker, label])),
  )
  yield* insertRows(
    'issue_dependencies',
    ['issue_id', 'tracker_id', 'depends_on', 'type', 'is_any_gate'],
    // One edge for a pair; a file may hold more, of which the first counts.
    issues.flatMap(({ key, issue }) =>
      issue.dependencies.map(({ dependsOnId, type, metadata }): Value[] => [
        key,
        tracker,
        dependsOnId,
        type,
        type === 'waits-for' && /"gate"\s*:\s*"any-children"/.test(metadata) ? 1 : 0,
      ]),
    ),
    'on conflict (issue_id, depends_on) do nothing',
  )
  yield* insertRows(
    'issue_parents',
    ['issue_id', 'tracker_id', 'parent'],
    issues.flatMap(({ key, facts }) => facts.parents.map((parent): Value[] => [key, tracker, parent])),
    'on conflict (issue_id, parent) do nothing',
  )
  yield* insertRows(
    'issue_comments',
    ['issue_id', 'native_id', 'author', 'created_text', 'text'],
    commented.flatMap(({ key, issue }) =>
      issue.comments.map((comment): Value[] => [key, comment.id, comment.author, comment.createdAt, comment.text]),
    ),
  )
}

export function* countIssues(tracker: TrackerKey): Program<number> {
  const row = yield* first<{ n: number }>('select count(*) as n from issues where tracker_id = ?', tracker)
  return Number(row?.n ?? 0)
}
