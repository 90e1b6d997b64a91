import type { TaskKey } from '../../../domain/ids'
import type { TaskLogKind } from '../../../domain/task/task'
import type { TaskDialect } from '../../sql/dialect'
import { type Program, rows, run } from '../../sql/program'
import { cutText } from '../../sql/values'
import type { ReadTasks } from './read-tasks'

/** Characters of a line. */
const LINE_LIMIT = 4_000

export function* appendLog(
  db: TaskDialect,
  read: ReadTasks,
  task: TaskKey,
  lines: { at: number; attempt: number | null; kind: TaskLogKind; text: string }[],
): Program<void> {
  if (lines.length === 0) return
  // Lines of a task get their numbers in the order of commits: who has read up to one has missed none.
  if (db.lock !== '' && read.get(task) === undefined)
    yield* rows(`select 1 as held from tasks t where t.id = ?${db.lock}`, task)
  for (const line of lines)
    yield* run(
      'insert into task_log (task_id, at, attempt, kind, text) values (?, ?, ?, ?, ?)',
      task,
      line.at,
      line.attempt,
      line.kind,
      cutText(line.text, LINE_LIMIT),
    )
}
