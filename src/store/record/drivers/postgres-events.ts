import { type EventKey, eventKey, type SubagentKey } from '../../../domain/ids'
import type { EventRow } from '../../../domain/record/record-store'
import type { Driver } from '../../sql/program'
import { eventValues, growth, place, saveGrowth } from '../events'
import type { PostgresUnitExecutor } from './postgres-driver'

/** Rows in one statement: 15 parameters each, PostgreSQL takes 65,535. */
const ROWS_AT_ONCE = 500

/** The same outcome as `insertEvents`, one round trip for many rows. */
export async function insertEventsAtOnce(
  executor: PostgresUnitExecutor,
  driver: Driver,
  rows: EventRow[],
): Promise<(EventKey | null)[]> {
  const keys: (EventKey | null)[] = new Array(rows.length).fill(null)
  const grown: Parameters<typeof growth>[0] = new Map()
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = rows.slice(from, from + ROWS_AT_ONCE)
    const ids = await insertPart(executor, part)
    for (const [at, row] of part.entries()) {
      const name = rowName(row.sessionKey, row.uuid)
      const id = ids.get(name)
      // Only the first of equal lines in one batch is the row.
      ids.delete(name)
      if (id === undefined) await driver.drive(place(row))
      else {
        keys[from + at] = eventKey(id)
        if (row.subagentKey !== null) growth(grown, row.subagentKey as SubagentKey, row)
      }
    }
  }
  await driver.drive(saveGrowth(grown))
  return keys
}

async function insertPart(executor: PostgresUnitExecutor, part: EventRow[]): Promise<Map<string, number>> {
  const width = 15
  const places = part.map(
    (_, row) => `(${Array.from({ length: width }, (_, at) => `$${row * width + at + 1}`).join(', ')})`,
  )
  const { rows } = await executor.execute(
    `insert into conversation_events
       (session_id, uuid, parent_uuid, at, type, role, subagent_id, parent_tool_use_id, tool_use_id, tool_name, text, flags, incarnation_id, "offset", length)
     values ${places.join(', ')} on conflict (session_id, uuid) do nothing returning id, session_id, uuid`,
    part.flatMap(eventValues),
  )
  return new Map(rows.map((row) => [rowName(Number(row.session_id), row.uuid as Uint8Array), Number(row.id)]))
}

const rowName = (session: number, uuid: Uint8Array): string => `${session} ${Buffer.from(uuid).toString('hex')}`
