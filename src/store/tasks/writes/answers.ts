import { sql } from 'kysely'
import { perDialect, type TaskDialect, takeTurn } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { statement } from '../../sql/statement'

const ANSWER = statement<{ scope: string; key: string }>()((db, param) =>
  db
    .selectFrom('idempotency_keys')
    .select(['request_hash as requestHash', 'answer'])
    .where('scope', '=', param('scope'))
    .where('key', '=', param('key')),
)

/** If two calls with one key come at once, the second waits here for the first, and gets its answer. */
export function* recallAnswer(
  db: TaskDialect,
  scope: string,
  key: string,
): Program<{ requestHash: string; answer: string } | undefined> {
  yield* takeTurn(db, `${scope} ${key}`)
  return yield* ANSWER.first({ scope, key })
}

const REMEMBER = statement<{ scope: string; key: string; requestHash: string; answer: string; now: number }>()(
  (db, param) =>
    db.insertInto('idempotency_keys').values({
      scope: param('scope'),
      key: param('key'),
      request_hash: param('requestHash'),
      answer: param('answer'),
      created_at: param('now'),
    }),
)

export function* rememberAnswer(
  now: number,
  scope: string,
  key: string,
  requestHash: string,
  answer: string,
): Program<void> {
  yield* REMEMBER.run({ scope, key, requestHash, answer, now })
}

const FORGET = perDialect(({ lockFree }) =>
  statement<{ before: number; limit: number }>()((db, param) =>
    db
      .deleteFrom('idempotency_keys')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('idempotency_keys as t')
          .select('t.id')
          .where('t.created_at', '<', param('before'))
          .orderBy('t.created_at')
          .limit(param('limit'))
          .modifyEnd(sql.raw(lockFree)),
      ),
  ),
)

export function* forgetAnswers(db: TaskDialect, before: number, limit: number): Program<number> {
  return yield* FORGET(db).changed({ before, limit })
}
