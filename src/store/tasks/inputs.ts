import { AppError } from '../../domain/errors'
import type { TaskKey } from '../../domain/ids'
import type { TaskInputRow } from '../../domain/task-store'
import { insert, type Program, rows, run } from '../record/program'
import type { TaskDialect } from './dialect'
import { TASK_INPUT } from './rows'

const FIELDS = ['uuid', 'taskKey', 'text', 'urgency', 'status', 'createdAt'] as const satisfies (keyof TaskInputRow)[]

const INSERT = TASK_INPUT.insert('task_inputs', FIELDS)

export function* insertInput(row: TaskInputRow): Program<void> {
  const id = yield* insert(`${INSERT} on conflict (uuid) do nothing`, ...TASK_INPUT.values(row, FIELDS))
  if (id === null) throw new AppError('conflict', `there is an input ${row.uuid} already`)
}

export function* queuedInputs(db: TaskDialect, tasks: TaskKey[]): Program<TaskInputRow[]> {
  if (tasks.length === 0) return []
  return yield* rows<TaskInputRow>(
    `select ${TASK_INPUT.select('i')} from task_inputs i
      where ${db.inKeys('i.task_id')} and i.status = 'queued' order by i.id`,
    db.keyList(tasks),
  )
}

export function* updateInput(uuid: string, status: TaskInputRow['status']): Program<void> {
  yield* run('update task_inputs set status = ? where uuid = ?', status, uuid)
}
