import { type Kysely, sql } from 'kysely'
import type { Program, Query } from './program'
import type { Schema } from './tables'
import { cleanText } from './values'

/** Drives programs over Kysely on both databases: for reads, and for writes whose answers nobody looks at. */
export function programDriver(db: Kysely<Schema>): <T>(program: Program<T>) => Promise<T> {
  const answer = async ({ sql: text, params }: Query): Promise<unknown> => {
    const parts = text.split('?')
    const values = params.map((value) => (typeof value === 'string' ? cleanText(value) : value))
    const query = sql(Object.assign(parts, { raw: parts }), ...values)
    return (await query.execute(db)).rows
  }
  return async (program) => {
    let step = program.next()
    while (!step.done) step = program.next(await answer(step.value))
    return step.value
  }
}
