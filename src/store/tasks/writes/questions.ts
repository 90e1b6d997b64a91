import { type Kysely, sql } from 'kysely'
import { AppError } from '../../../domain/errors'
import type { AttemptKey, QuestionId } from '../../../domain/ids'
import type { QuestionRow } from '../../../domain/task/task-store'
import { isAmongKeys } from '../../sql/among'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { insertRow, selectRows, updateRow } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'
import { QUESTION } from '../rows'

const INSERT = insertRow(QUESTION, QUESTION.names(), [], (insert) =>
  insert.onConflict((conflict) => conflict.column('public_id').doNothing()),
)

export function* insertQuestion(row: QuestionRow): Program<void> {
  const id = yield* INSERT.insert(row)
  if (id === null) throw new AppError('conflict', `A question ${row.id} already exists.`)
}

const questions = (db: Kysely<Schema>) => selectRows(db, QUESTION, 'q').innerJoin('tasks as t', 't.id', 'q.task_id')

const HOLD = perDialect(({ lock }) =>
  statement<{ id: QuestionId }>()((db, param) =>
    db
      .selectFrom('questions as q')
      .innerJoin('tasks as t', 't.id', 'q.task_id')
      .select(sql.lit(1).as('held'))
      .where('q.public_id', '=', param('id'))
      .modifyEnd(sql.raw(lock)),
  ),
)
const BY_ID = statement<{ id: QuestionId }>()((db, param) =>
  selectRows(db, QUESTION, 'q').where('q.public_id', '=', param('id')),
)

/** A person and the deadline may answer at once: the second one waits and sees the first. */
export function* question(db: TaskDialect, id: QuestionId): Program<QuestionRow | undefined> {
  if (db.lock !== '') yield* HOLD(db).run({ id })
  const row = yield* BY_ID.first({ id })
  return row && QUESTION.read(row)
}

export function* updateQuestion(id: QuestionId, patch: Partial<QuestionRow>): Program<void> {
  yield* updateRow(QUESTION, patch, id, { by: 'public_id' })
}

const OPEN_OF = statement<{ attempt: AttemptKey }>()((db, param) =>
  questions(db).where('q.attempt_id', '=', param('attempt')).where('q.status', '=', 'open').orderBy('q.id'),
)
const OVERDUE = perDialect(({ lockFree }) =>
  statement<{ dueBefore: number }>()((db, param) =>
    questions(db)
      .where('q.status', '=', 'open')
      .where('q.deadline', '<', param('dueBefore'))
      .orderBy('q.deadline')
      .orderBy('q.id')
      .modifyEnd(sql.raw(lockFree)),
  ),
)

export function* openQuestions(
  db: TaskDialect,
  filter: { attempt: AttemptKey } | { dueBefore: number },
): Program<QuestionRow[]> {
  const found = yield* 'attempt' in filter ? OPEN_OF.rows(filter) : OVERDUE(db).rows(filter)
  return found.map((row) => QUESTION.read(row))
}

const ANSWERED = perDialect((words) =>
  statement<{ attempts: string }>()((db, param) =>
    questions(db)
      .where((eb) => isAmongKeys(words, eb.ref('q.attempt_id'), param('attempts')))
      .where('q.is_taken', '=', 0)
      .where('q.status', 'in', ['answered', 'expired'])
      .orderBy('q.id'),
  ),
)

export function* answersFor(db: TaskDialect, attempts: AttemptKey[]): Program<QuestionRow[]> {
  if (attempts.length === 0) return []
  return (yield* ANSWERED(db).rows({ attempts: db.keyList(attempts) })).map((row) => QUESTION.read(row))
}
