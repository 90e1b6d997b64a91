import type { TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run } from '../../sql/program'

/** Of two calls with one key at once the second waits here for the first, and is given its answer. */
export function* recallAnswer(
  db: TaskDialect,
  scope: string,
  key: string,
): Program<{ requestHash: string; answer: string } | undefined> {
  if (db.turn !== null) yield* rows(db.turn, `${scope} ${key}`)
  return yield* first<{ requestHash: string; answer: string }>(
    'select request_hash as "requestHash", answer as answer from idempotency_keys where scope = ? and "key" = ?',
    scope,
    key,
  )
}

export function* rememberAnswer(
  now: number,
  scope: string,
  key: string,
  requestHash: string,
  answer: string,
): Program<void> {
  yield* run(
    'insert into idempotency_keys (scope, "key", request_hash, answer, created_at) values (?, ?, ?, ?, ?)',
    scope,
    key,
    requestHash,
    answer,
    now,
  )
}

export function* forgetAnswers(db: TaskDialect, before: number, limit: number): Program<void> {
  yield* run(
    `delete from idempotency_keys where id in (
       select t.id from idempotency_keys t where t.created_at < ? order by t.created_at limit ?${db.lockFree})`,
    before,
    limit,
  )
}
