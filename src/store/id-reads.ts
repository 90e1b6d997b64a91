import { type RawBuilder, sql } from 'kysely'
import type { IdKind, IdReads } from '../domain/id-kind'
import type { SessionId } from '../domain/ids'
import type { ReadContext } from './sql/read-context'
import { uuidText } from './sql/uuid'

/** Ids that a beginning may match before it is called ambiguous without saying them all. */
const MATCHES = 20

/** Where ids of a kind stand. */
interface Source {
  from: string
  column: string
  /** The alias of the session's row, where a thing belongs to one. */
  session?: string
}

const SOURCES: Readonly<Record<Exclude<IdKind, 'event'>, readonly Source[]>> = {
  // Clients without a recorded conversation have an address too, and a conversation may go on under a new id.
  session: [
    { from: 'sessions t', column: 't.native_id' },
    { from: 'registrations t', column: 't.address' },
    { from: 'address_aliases t', column: 't.alias' },
  ],
  subagent: [
    {
      from: 'subagents t join sessions s on s.id = t.session_id',
      column: 't.native_id',
      session: 's.native_id',
    },
  ],
  toolUse: [
    {
      from: 'tool_uses t join sessions s on s.id = t.session_id',
      column: 't.tool_use_id',
      session: 's.native_id',
    },
  ],
  todo: [{ from: 'todos t', column: 't.id' }],
  task: [{ from: 'tasks t', column: 't.public_id' }],
  question: [{ from: 'questions t', column: 't.public_id' }],
  plan: [{ from: 'plans t', column: 't.public_id' }],
  agent: [{ from: 'agents t', column: 't.public_id' }],
  message: [{ from: 'messages t', column: 't.id' }],
  inbox: [{ from: 'inbox t', column: 't.public_id' }],
  token: [{ from: 'tokens t', column: 't.public_id' }],
}

/** Finds whole ids. A whole id is found by its index; a beginning goes through the table, which a person alone causes. */
export function idReads({ db }: ReadContext): IdReads {
  async function select({ from, column, session }: Source, test: RawBuilder<unknown>, within: SessionId | null) {
    const conditions = [test]
    if (within !== null && session !== undefined) conditions.push(sql`${sql.raw(session)} = ${within}`)
    const { rows } = await sql<{ id: string }>`
      select distinct ${sql.raw(column)} as id from ${sql.raw(from)}
       where ${sql.join(conditions, sql` and `)} order by id limit ${sql.lit(MATCHES)}`.execute(db)
    return rows.map(({ id }) => id)
  }

  async function all(
    kind: Exclude<IdKind, 'event'>,
    test: (column: string) => RawBuilder<unknown>,
    of: SessionId | null,
  ) {
    const found = new Set<string>()
    for (const source of SOURCES[kind]) for (const id of await select(source, test(source.column), of)) found.add(id)
    return [...found].sort().slice(0, MATCHES)
  }

  /** Their uuids are kept as bytes: all that begin so lie between two of them. */
  async function events(text: string, session: SessionId): Promise<string[]> {
    const digits = text.replaceAll('-', '').toLowerCase()
    if (!/^[0-9a-f]{1,32}$/.test(digits)) return []
    const [low, high] = ['0', 'f'].map((end) => Buffer.from(digits.padEnd(32, end), 'hex')) as [Buffer, Buffer]
    const { rows } = await sql<{ id: Uint8Array }>`
      select e.uuid as id from sessions s join conversation_events e on e.session_id = s.id
       where s.native_id = ${session} and e.uuid >= ${low} and e.uuid <= ${high}
       order by e.uuid limit ${sql.lit(MATCHES)}`.execute(db)
    return rows.map(({ id }) => uuidText(id))
  }

  return {
    async beginning(kind, text, within) {
      if (text === '') return []
      if (kind === 'event') return within === null ? [] : await events(text, within)
      const exact = await all(kind, (column) => sql`${sql.raw(column)} = ${text}`, within)
      if (exact.length > 0) return exact
      const length = sql.lit([...text].length)
      const begins = (column: string) => sql`substr(${sql.raw(column)}, 1, ${length}) = ${text}`
      // What the CLI starts for itself is shown in no list.
      return await all(
        kind,
        (column) => (kind === 'subagent' ? sql`${begins(column)} and t.kind <> 'internal'` : begins(column)),
        within,
      )
    },
  }
}
