import { AppError } from '../../../domain/errors'
import type { AttemptKey, QuestionId } from '../../../domain/ids'
import type { QuestionRow } from '../../../domain/task/task-store'
import type { TaskDialect } from '../../sql/dialect'
import { first, insert, type Program, rows, run } from '../../sql/program'
import { QUESTION } from '../rows'

const COLUMNS = QUESTION.select('q')

const FIELDS = QUESTION.names()

const INSERT = QUESTION.insert(FIELDS)

export function* insertQuestion(row: QuestionRow): Program<void> {
  const id = yield* insert(`${INSERT} on conflict (public_id) do nothing`, ...QUESTION.values(row, FIELDS))
  if (id === null) throw new AppError('conflict', `there is a question ${row.id} already`)
}

/** An answer may be given by a person and by the deadline at once: who comes second waits and sees the first. */
export function* question(db: TaskDialect, id: QuestionId): Program<QuestionRow | undefined> {
  if (db.lock !== '')
    yield* rows(
      `select 1 as held from questions q join tasks t on t.id = q.task_id where q.public_id = ?${db.lock}`,
      id,
    )
  const found = yield* first<object>(`select ${COLUMNS} from questions q where q.public_id = ?`, id)
  return found && QUESTION.read(found)
}

export function* updateQuestion(id: QuestionId, patch: Partial<QuestionRow>): Program<void> {
  const update = QUESTION.update(patch, {}, 'public_id')
  if (update) yield* run(update.sql, ...update.params, id)
}

export const openQuestions = (
  db: TaskDialect,
  filter: { attempt: AttemptKey } | { dueBefore: number },
): Program<QuestionRow[]> =>
  'attempt' in filter
    ? selectQuestions(`q.attempt_id = ? and q.status = 'open' order by q.id`, filter.attempt)
    : selectQuestions(`q.status = 'open' and q.deadline < ? order by q.deadline, q.id${db.lockFree}`, filter.dueBefore)

export function* answersFor(db: TaskDialect, attempts: AttemptKey[]): Program<QuestionRow[]> {
  if (attempts.length === 0) return []
  return yield* selectQuestions(
    `${db.inKeys('q.attempt_id')} and q.is_taken = 0 and q.status in ('answered', 'expired') order by q.id`,
    db.keyList(attempts),
  )
}

function* selectQuestions(where: string, param: string | number): Program<QuestionRow[]> {
  const found = yield* rows<object>(
    `select ${COLUMNS} from questions q join tasks t on t.id = q.task_id where ${where}`,
    param,
  )
  return found.map((row) => QUESTION.read(row))
}
