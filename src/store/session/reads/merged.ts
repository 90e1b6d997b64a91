import { sql } from 'kysely'
import { numberOf, OWN_REQUEST } from '../../../domain/session/merge'
import type { ReadContext } from '../../sql/read-context'

interface Request {
  session: number
  project: number | null
  name: string
  at: number
}

interface Sign {
  session: number
  project: number | null
  request: string
  at: number
}

/** Requests that are looked for at once. */
const REQUESTS_AT_ONCE = 500

/**
 * When pull and merge requests that sessions made were merged, by their addresses, in milliseconds. A number counts in the session's project,
 * and none that was merged before it was made.
 *
 * @param of  what `session_products p join sessions s` must fulfil
 */
export async function readMerged(context: ReadContext, of: ReturnType<typeof sql>): Promise<Map<string, number>> {
  const { rows: requests } = await sql<Request>`
    select p.session_id as session, s.project_id as project, p.name, p.at
      from session_products p join sessions s on s.id = p.session_id where p.kind = 'pull_request' and ${of}
     order by p.at
  `.execute(context.db)
  const merged = new Map<string, number>()
  for (let from = 0; from < requests.length; from += REQUESTS_AT_ONCE) {
    const some = requests.slice(from, from + REQUESTS_AT_ONCE)
    const signs = await signsOf(context, some)
    for (const { session, project, name, at } of some)
      for (const sign of [
        ...(signs.get(name) ?? []),
        ...(signs.get(numberOf(name)) ?? []),
        ...(signs.get(OWN_REQUEST) ?? []),
      ]) {
        const isIt =
          sign.request === name ||
          (sign.request === OWN_REQUEST
            ? sign.session === session && newestBefore(requests, sign) === name
            : project !== null && sign.project === project)
        if (isIt && sign.at >= at && sign.at < (merged.get(name) ?? Number.POSITIVE_INFINITY)) merged.set(name, sign.at)
      }
  }
  return merged
}

const newestBefore = (requests: readonly Request[], { session, at }: Sign): string | undefined =>
  requests.findLast((one) => one.session === session && one.at <= at)?.name

/** A call that merges counts once it went well. */
async function signsOf({ db, capabilities }: ReadContext, requests: readonly Request[]): Promise<Map<string, Sign[]>> {
  const names = new Set(requests.flatMap(({ name }) => [name, numberOf(name)]))
  const rows = await db
    .selectFrom('request_merges as m')
    .innerJoin('sessions as s', 's.id', 'm.session_id')
    .leftJoin('tool_uses as u', (join) =>
      join.onRef('u.session_id', '=', 'm.session_id').onRef('u.tool_use_id', '=', 'm.tool_use_id'),
    )
    .select(['m.session_id as session', 's.project_id as project', 'm.request', 'm.at'])
    .where((eb) => eb.or([eb('m.tool_use_id', '=', ''), eb('u.is_error', '=', 0)]))
    .where((eb) =>
      eb.or([
        capabilities.inTexts(sql.ref('m.request'), [...names]),
        eb.and([
          eb('m.request', '=', OWN_REQUEST),
          capabilities.inKeys(eb.ref('m.session_id'), [...new Set(requests.map(({ session }) => session))]),
        ]),
      ]),
    )
    .execute()
  return Map.groupBy(rows, ({ request }) => request)
}
