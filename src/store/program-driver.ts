import { type Kysely, sql } from 'kysely'
import { cleanText } from './dialect/values'
import type { Program, Query } from './record/program'
import type { Schema } from './schema'

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
