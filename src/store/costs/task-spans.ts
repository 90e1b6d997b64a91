import { sql } from 'kysely'
import type { ReadContext } from '../read-context'

/** From when on messages of a session are a task's. Milliseconds. */
export interface TaskSpan {
  task: number
  from: number
}

/**
 * Which tasks had which sessions, and from when on, in that order. What came before the first of them is its own too: it goes on
 * from there.
 */
export async function readTaskSpans({ db, capabilities }: ReadContext): Promise<Map<number, TaskSpan[]>> {
  const { rows } = await sql<{ session: number; task: number; at: number }>`
    select s.id as session, a.task_id as task, a.started_at as at
      from attempts a join sessions s on s.native_id = ${sql.raw(capabilities.jsonText('a.conversation', 'sessionId'))}
     order by s.id, a.started_at, a.id
  `.execute(db)
  const spans = new Map<number, TaskSpan[]>()
  for (const { session, task, at } of rows) {
    const known = spans.get(session)
    if (known === undefined) spans.set(session, [{ task, from: Number.NEGATIVE_INFINITY }])
    else if (known.at(-1)?.task !== task) known.push({ task, from: at })
  }
  return spans
}

/** The task that has a message; its time may be unknown. */
export function taskAt(spans: readonly TaskSpan[], at: number | null): number | undefined {
  return (spans.findLast(({ from }) => at !== null && from <= at) ?? spans[0])?.task
}
