import { sql } from 'kysely'
import { type EventId, eventId, type SessionId, subagentId, toolUseId } from '../../../domain/ids'
import type { Page, PageRequest } from '../../../domain/port'
import { type EditCall, MOST_FILES, type SessionOutcome, type StepRequest } from '../../../domain/session/outcome'
import { uuidBytes, uuidText } from '../../../util/uuid'
import { checkLimit, decodeCursor, encodeCursor } from '../../sql/cursor'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { readMerged } from './merged'

/** What came of a session. `undefined` = it is not recorded. */
export async function readOutcome(context: ReadContext, id: SessionId): Promise<SessionOutcome | undefined> {
  const { db } = context
  const session = await db.selectFrom('sessions').select('id').where('native_id', '=', id).executeTakeFirst()
  if (session === undefined) return undefined
  const files = await db
    .selectFrom('session_files')
    .select(['path', 'calls'])
    .where('session_id', '=', session.id)
    .orderBy('calls', 'desc')
    .orderBy('path')
    .limit(MOST_FILES)
    .execute()
  const products = await db
    .selectFrom('session_products')
    .select(['kind', 'name', 'title', 'at'])
    .where('session_id', '=', session.id)
    .orderBy('at')
    .orderBy('name')
    .execute()
  const hasRequests = products.some(({ kind }) => kind === 'pull_request')
  const merged = hasRequests ? await readMerged(context, sql`p.session_id = ${session.id}`) : new Map<string, number>()
  return {
    files,
    products: products.map(({ at, ...product }) => {
      const mergedAt = product.kind === 'pull_request' ? merged.get(product.name) : undefined
      return {
        ...product,
        at: at === 0 ? null : isoTime(at),
        mergedAt: mergedAt === undefined ? null : isoTime(mergedAt),
      }
    }),
  }
}

/** For lines `e` with their call `u`. A line of several calls is that of its first. */
const STEPS = {
  error: sql<boolean>`(e.type = 'error' or (e.type = 'tool_call' and u.is_error = 1))`,
  edit: sql<boolean>`(e.type = 'tool_call' and u.files is not null and coalesce(u.is_error, 0) = 0)`,
}

/** Goes along the agent's lines from a line until one is of the kind. */
export async function readStep(
  { db }: ReadContext,
  session: SessionId,
  { kind, from, isBack, agent }: StepRequest,
): Promise<EventId | null> {
  const isOfAgent =
    agent === null
      ? sql<boolean>`e.subagent_id is null and e.parent_tool_use_id is null`
      : sql<boolean>`e.subagent_id in (select a.id from subagents a where a.session_id = s.id and a.native_id = ${agent})`
  const place =
    from === null
      ? undefined
      : await db
          .selectFrom('conversation_events as e')
          .innerJoin('sessions as s', 's.id', 'e.session_id')
          .select(['e.at', 'e.id'])
          .where('s.native_id', '=', session)
          .where('e.uuid', '=', uuidBytes(from))
          .executeTakeFirst()
  const isBehind =
    place === undefined
      ? sql<boolean>`1 = 1`
      : isBack
        ? sql<boolean>`e.at <= ${place.at} and (e.at, e.id) < (${place.at}, ${place.id})`
        : sql<boolean>`e.at >= ${place.at} and (e.at, e.id) > (${place.at}, ${place.id})`
  const direction = isBack ? 'desc' : 'asc'
  const found = await db
    .selectFrom('conversation_events as e')
    .innerJoin('sessions as s', 's.id', 'e.session_id')
    .leftJoin('tool_uses as u', (join) =>
      join.onRef('u.session_id', '=', 'e.session_id').onRef('u.tool_use_id', '=', 'e.tool_use_id'),
    )
    .select('e.uuid')
    .where('s.native_id', '=', session)
    .where(isOfAgent)
    .where(STEPS[kind])
    .where(isBehind)
    .orderBy('e.at', direction)
    .orderBy('e.id', direction)
    .limit(1)
    .executeTakeFirst()
  return found === undefined ? null : eventId(uuidText(found.uuid))
}

interface EditColumns {
  id: string
  at: number
  agent: string | null
  files: string
}

/** By the index of calls that wrote files; then the lines of those that are shown. @param path  `null` = of any file */
export async function readEdits(
  context: ReadContext,
  id: SessionId,
  page: PageRequest,
  path: string | null,
): Promise<Page<EditCall>> {
  const { db, capabilities } = context
  const limit = checkLimit(page.limit)
  const scope = { edits: id, path }
  const at = sql<number>`coalesce(u.called_at, 0)`
  const [fromAt, fromId] = page.cursor === undefined ? [-1, ''] : decodeCursor(page.cursor, scope, ['number', 'string'])
  // Its name as it stands in the list: with its quotes, so that it is no part of another one.
  const isOfPath = path === null ? sql`1 = 1` : sql`replace(u.files, ${JSON.stringify(path)}, '') <> u.files`
  const { rows } = await sql<EditColumns & { session: number }>`
    select u.tool_use_id as id, ${at} as at, a.native_id as agent, u.files, u.session_id as session
      from tool_uses u join sessions s on s.id = u.session_id left join subagents a on a.id = u.subagent_id
     where s.native_id = ${id} and u.files is not null and u.is_error = 0 and ${isOfPath}
       and (${at}, u.tool_use_id) > (${fromAt}, ${fromId})
     order by ${at}, u.tool_use_id limit ${limit + 1}
  `.execute(db)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const lines = new Map<string, EventId>()
  const [first] = shown
  if (first !== undefined)
    for (const { call, type, uuid } of await db
      .selectFrom('conversation_events')
      .select(['tool_use_id as call', 'type', 'uuid'])
      .where('session_id', '=', first.session)
      .where((eb) =>
        capabilities.inTexts(
          eb.ref('tool_use_id'),
          shown.map((row) => row.id),
        ),
      )
      .execute())
      lines.set(`${type} ${call}`, eventId(uuidText(uuid)))
  return {
    rows: shown.map((row) => ({
      id: toolUseId(row.id),
      subagentId: row.agent === null ? null : subagentId(row.agent),
      at: row.at === 0 ? null : isoTime(row.at),
      files: JSON.parse(row.files) as string[],
      call: lines.get(`tool_call ${row.id}`) ?? null,
      answer: lines.get(`tool_result ${row.id}`) ?? null,
    })),
    nextCursor: last === undefined ? null : encodeCursor(scope, [last.at, last.id]),
  }
}
