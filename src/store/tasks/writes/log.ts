import { sql } from 'kysely'
import type { TaskKey } from '../../../domain/ids'
import type { TaskLogKind } from '../../../domain/task/task'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { statement } from '../../sql/statement'
import { cutText } from '../../sql/values'
import type { ReadTasks } from './read-tasks'

/** Characters of a line. */
export const LOG_LINE_LIMIT = 4_000

interface Line {
  at: number
  attempt: number | null
  kind: TaskLogKind
  text: string
}

const HOLD = perDialect(({ lock }) =>
  statement<{ task: TaskKey }>()((db, param) =>
    db
      .selectFrom('tasks as t')
      .select(sql.lit(1).as('held'))
      .where('t.id', '=', param('task'))
      .modifyEnd(sql.raw(lock)),
  ),
)
const INSERT = statement<Line & { task: TaskKey }>()((db, param) =>
  db.insertInto('task_log').values({
    task_id: param('task'),
    at: param('at'),
    attempt: param('attempt'),
    kind: param('kind'),
    text: param('text'),
  }),
)

export function* appendLog(db: TaskDialect, read: ReadTasks, task: TaskKey, lines: Line[]): Program<void> {
  if (lines.length === 0) return
  // Lines of a task get their numbers in the order of commits: a reader up to one has missed none.
  if (db.lock !== '' && read.get(task) === undefined) yield* HOLD(db).run({ task })
  for (const line of lines) yield* INSERT.run({ ...line, task, text: cutText(line.text, LOG_LINE_LIMIT) })
}
