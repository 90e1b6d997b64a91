import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReadContext } from '../sql/read-context'

type Condition = RawBuilder<SqlBool>

/** Which sessions `s` are meant. */
export interface SessionScope {
  /** Only these. */
  keys?: readonly number[]
  /** Only of these rows of `projects`; `null` = of none. */
  projects?: readonly number[] | null
  /** All but these. */
  without?: readonly number[]
}

/** A condition on sessions `s`. */
export function isIn({ capabilities }: ReadContext, { keys, projects, without }: SessionScope): Condition {
  const conditions: Condition[] = [sql`1 = 1`]
  const key = sql.ref<number>('s.id')
  if (keys !== undefined) conditions.push(sql`${capabilities.inKeys(key, keys)}`)
  if (projects === null) conditions.push(sql`s.project_id is null`)
  else if (projects !== undefined)
    conditions.push(
      // One project is the common case, and the index knows its sessions in their order.
      projects.length === 1
        ? sql`s.project_id = ${projects[0]}`
        : sql`${capabilities.inKeys(sql.ref<number>('s.project_id'), projects)}`,
    )
  if (without !== undefined && without.length > 0) conditions.push(capabilities.notInKeys(key, without))
  return sql`${sql.join(conditions, sql` and `)}`
}
