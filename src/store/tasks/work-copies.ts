import type { TaskKey } from '../../domain/ids'
import { attemptId, taskId } from '../../domain/ids'
import type { WorkCopyPart, WorkCopyReads, WorkCopyTx } from '../../domain/task/work-copy'
import type { Driver, Program } from '../sql/program'
import { isoTime, type ReadContext } from '../sql/read-context'
import { statement } from '../sql/statement'

/** Writes the copies of worktrees, part by part. */
export function createWorkCopyTx(driver: Driver, now: () => number): WorkCopyTx {
  return { append: (task, number, part) => driver.drive(append(task, number, part, now())) }
}

function* append(task: TaskKey, number: number, part: WorkCopyPart, now: number): Program<number> {
  const { commit, offset, bytes, size } = part
  const about = { task, number, commit }
  const copy = (yield* FIND.first(about)) ?? { id: yield* begin(about, part, now), stored: 0, size }
  if (copy.stored !== offset || copy.size !== size || offset + bytes.length > size) return copy.stored
  const stored = offset + bytes.length
  yield* ADD_PART.run({ id: copy.id, offset, bytes })
  yield* GROW.run({ id: copy.id, stored })
  if (stored === size) yield* DROP_FORMER.run({ id: copy.id, task, number })
  return stored
}

function* begin(
  about: CopyKey,
  { head, base, remote, hostName, size, leftOut }: WorkCopyPart,
  now: number,
): Program<number> {
  const id = yield* INSERT.insert({
    ...about,
    head,
    base,
    remote,
    hostName,
    size,
    leftOut: JSON.stringify(leftOut),
    now,
  })
  if (id === null) throw new Error('a row was not inserted')
  return id
}

interface CopyKey {
  task: TaskKey
  number: number
  commit: string
}

const FIND = statement<CopyKey>()((db, param) =>
  db
    .selectFrom('work_copies')
    .select(['id', 'stored', 'size'])
    .where('task_id', '=', param('task'))
    .where('attempt_number', '=', param('number'))
    .where('commit_id', '=', param('commit')),
)
const INSERT = statement<{
  task: TaskKey
  number: number
  commit: string
  head: string
  base: string
  remote: string
  hostName: string | null
  size: number
  leftOut: string
  now: number
}>()((db, param) =>
  db.insertInto('work_copies').values({
    task_id: param('task'),
    attempt_number: param('number'),
    commit_id: param('commit'),
    head: param('head'),
    base: param('base'),
    remote: param('remote'),
    host_name: param('hostName'),
    size: param('size'),
    stored: 0,
    left_out: param('leftOut'),
    taken_at: param('now'),
  }),
)
const ADD_PART = statement<{ id: number; offset: number; bytes: Uint8Array }>()((db, param) =>
  db.insertInto('work_copy_parts').values({ copy_id: param('id'), place: param('offset'), bytes: param('bytes') }),
)
const GROW = statement<{ id: number; stored: number }>()((db, param) =>
  db
    .updateTable('work_copies')
    .set({ stored: param('stored') })
    .where('id', '=', param('id')),
)
/** By this attempt and those before: what a worker sends that lost its task is older than what the next one sent. */
const DROP_FORMER = statement<{ id: number; task: TaskKey; number: number }>()((db, param) =>
  db
    .deleteFrom('work_copies')
    .where('task_id', '=', param('task'))
    .where('attempt_number', '<=', param('number'))
    .where('id', '<>', param('id')),
)

/** Reads them. */
export function workCopyReads({ db }: ReadContext): WorkCopyReads {
  const newestOf = (column: 'id' | 'public_id', task: string | number) =>
    db
      .selectFrom('work_copies as c')
      .innerJoin('tasks as t', 't.id', 'c.task_id')
      .selectAll('c')
      .select('t.public_id as task')
      .where(`t.${column}`, '=', task as never)
      .whereRef('c.stored', '=', 'c.size')
      .orderBy('c.attempt_number', 'desc')
      .orderBy('c.id', 'desc')
      .limit(1)
      .executeTakeFirst()
  return {
    async newest(task) {
      let row = await newestOf('public_id', task)
      if (row === undefined) {
        const above = db.selectFrom('tasks').select('parent_id').where('public_id', '=', task)
        const parent = (await above.executeTakeFirst())?.parent_id ?? null
        row = parent === null ? undefined : await newestOf('id', parent)
      }
      if (row === undefined) return undefined
      return {
        taskId: taskId(row.task),
        attemptId: attemptId(`${row.task}.${row.attempt_number}`),
        commit: row.commit_id,
        head: row.head,
        base: row.base,
        remote: row.remote,
        hostName: row.host_name,
        size: row.size,
        leftOut: JSON.parse(row.left_out) as string[],
        takenAt: isoTime(row.taken_at),
      }
    },

    async part({ taskId: task, commit }, offset) {
      const row = await db
        .selectFrom('work_copy_parts as p')
        .innerJoin('work_copies as c', 'c.id', 'p.copy_id')
        .innerJoin('tasks as t', 't.id', 'c.task_id')
        .select('p.bytes')
        .where('t.public_id', '=', task)
        .where('c.commit_id', '=', commit)
        .whereRef('c.stored', '=', 'c.size')
        .where('p.place', '=', offset)
        .executeTakeFirst()
      return row?.bytes
    },
  }
}
