import type { IssueId, IssueKey, TrackerKey } from '../../../domain/ids'
import type { SavedIssue } from '../../../domain/issue/issue-store'
import { isAmongKeys, isAmongTexts } from '../../sql/among'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import { type Program, run, type Value } from '../../sql/program'
import { statement } from '../../sql/statement'
import type { TABLES } from '../../sql/tables'
import { ISSUE, ISSUE_FIELDS, recordOf, recordValues } from '../rows'

/** Rows of one statement: a database counts at most 32,766 parameters, and few sizes are few statements to compile. */
const BATCHES = [100, 10, 1] as const

/** Inserts rows with as few statements as that takes. Text: how long it is depends on the rows. */
function* insertRows<Table extends keyof typeof TABLES>(
  table: Table,
  columns: readonly (keyof (typeof TABLES)[Table] & string)[],
  all: readonly Value[][],
  end = '',
): Program<void> {
  let at = 0
  while (at < all.length) {
    const size = BATCHES.find((one) => one <= all.length - at) ?? 1
    const row = `(${columns.map(() => '?').join(', ')})`
    const sql = `insert into ${table} (${columns.join(', ')}) values ${Array(size).fill(row).join(', ')} ${end}`
    yield* run(sql, ...all.slice(at, at + size).flat())
    at += size
  }
}

/** Text of the mapping's columns: a patch of all of them would be looked through field by field. */
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

const PARENTS = perDialect((words) =>
  statement<{ keys: string }>()((db, param) =>
    db
      .selectFrom('issue_parents as p')
      .select(['p.issue_id as key', 'p.parent'])
      .where((eb) => isAmongKeys(words, eb.ref('p.issue_id'), param('keys'))),
  ),
)

/** Parents that issues have until now and are to have no longer. */
function* formerParents(db: TaskDialect, issues: readonly SavedIssue[]): Program<IssueId[]> {
  if (issues.length === 0) return []
  const keys = db.keyList(issues.flatMap(({ key }) => (key === null ? [] : [key])))
  const found = yield* PARENTS(db).rows({ keys })
  const kept = new Map(issues.map(({ key, facts }) => [key, new Set(facts.parents)]))
  return [
    ...new Set(found.filter(({ key, parent }) => kept.get(key)?.has(parent) !== true).map(({ parent }) => parent)),
  ]
}

type Keyed = SavedIssue & { key: IssueKey }

const KEYS = perDialect((words) =>
  statement<{ tracker: TrackerKey; ids: string }>()((db, param) =>
    db
      .selectFrom('issues as i')
      .select(['i.id as key', 'i.public_id as id'])
      .where('i.tracker_id', '=', param('tracker'))
      .where((eb) => isAmongTexts(words, eb.ref('i.public_id'), param('ids'))),
  ),
)

/** New issues with the keys that they were given. */
function* withKeys(db: TaskDialect, tracker: TrackerKey, issues: readonly SavedIssue[]): Program<Keyed[]> {
  const news = issues.filter(({ key }) => key === null).map(({ issue }) => issue.id)
  const keys = new Map<string, IssueKey>()
  for (let at = 0; at < news.length; at += 1_000) {
    const found = yield* KEYS(db).rows({ tracker, ids: db.textList(news.slice(at, at + 1_000)) })
    for (const { key, id } of found) keys.set(id, key)
  }
  return issues.flatMap((one) => {
    const key = one.key ?? keys.get(one.issue.id)
    return key === undefined ? [] : [{ ...one, key }]
  })
}

const REMOVE = perDialect((words) => {
  const from = (table: 'issue_labels' | 'issue_dependencies' | 'issue_parents' | 'issue_comments') =>
    statement<{ keys: string }>()((db, param) =>
      db.deleteFrom(table).where((eb) => isAmongKeys(words, eb.ref('issue_id'), param('keys'))),
    )
  return {
    labels: from('issue_labels'),
    dependencies: from('issue_dependencies'),
    parents: from('issue_parents'),
    comments: from('issue_comments'),
  }
})

/** Labels, edges, parents and comments, as they are now. */
function* replaceParts(db: TaskDialect, tracker: TrackerKey, issues: readonly Keyed[]): Program<void> {
  const commented = issues.filter(({ keepsComments }) => keepsComments !== true)
  // `keyed` holds new ones too; their deletes find nothing and cost one look-up for all.
  const keys = db.keyList(issues.map(({ key }) => key))
  const remove = REMOVE(db)
  yield* remove.labels.run({ keys })
  yield* remove.dependencies.run({ keys })
  yield* remove.parents.run({ keys })
  if (commented.length > 0) yield* remove.comments.run({ keys: db.keyList(commented.map(({ key }) => key)) })
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

const COUNT = statement<{ tracker: TrackerKey }>()((db, param) =>
  db
    .selectFrom('issues')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('tracker_id', '=', param('tracker')),
)

export function* countIssues(tracker: TrackerKey): Program<number> {
  return (yield* COUNT.first({ tracker }))?.n ?? 0
}
