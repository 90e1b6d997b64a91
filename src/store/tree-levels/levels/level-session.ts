import { sql } from 'kysely'
import type { SessionId, SubagentId } from '../../../domain/ids'
import type { TreeEntry, TreeRequest } from '../../../domain/overview/tree-level'
import type { SessionSignals } from '../../../domain/session/session-store'
import { readUsageTotals } from '../../session/reads/usage-totals'
import { SIGNALS, type SignalColumns, signalsOf } from '../../session/session-signals'
import type { ReadContext } from '../../sql/read-context'
import { readUnseen } from '../../unseen-agents'
import { itemEntries, nodeEntry, readNodeTexts, sessionEntries } from '../entries'
import { type Look, shownStatuses } from '../look'
import { compareOrder, type ItemOrder, type Outline, type OutlineNode, readOutlines } from '../outline'
import { pageOfRows } from '../page'
import { pathToSession } from '../path'
import { nodesSince } from '../sums/span-sums'
import { addSum, addUsage, newSum, type Sum, toRollup } from '../sums/sums'
import { visibleItems } from '../visible'

interface FoundSession {
  key: number
  id: SessionId
  projectId: number | null
}

/**
 * Agents that a session or one of its agents launched, background work, running calls and to-dos.
 *
 * @param of  a node of the session; `null` = its main thread
 */
export async function sessionLevel(
  context: ReadContext,
  id: SessionId,
  of: SubagentId | null,
  request: TreeRequest,
  look: Look,
): Promise<{ path: TreeEntry[]; entries: TreeEntry[]; total: number; nextCursor: string | null } | undefined> {
  const { limit, cursor, statuses, needed, since } = request
  const session = await findSession(context, id)
  if (session === undefined) return undefined
  const outline = await readOutline(context, session, look)
  if (outline === undefined) return undefined
  const node = of === null ? undefined : [...outline.nodes.values()].find((one) => one.native_id === of)
  if (of !== null && node === undefined) return undefined

  const shown = visibleItems(
    outline,
    { ...(statuses && { statuses }), ...(needed && { needed }), ...(since !== undefined && { since }) },
    look.agents.get(id),
  )
  const rows = shown(node?.id ?? null)
  const page = pageOfRows(
    rows,
    { limit, cursor, scope: { level: 'session', id, of, statuses, needed, since } },
    ({ order }): ItemOrder => order,
    compareOrder,
    ['number', 'number', 'number', 'string'],
  )
  const sums = await sumNodes(context, session.key, outline, look)
  const entries = await itemEntries(context, session, page.rows)
  const nodes = new Map(page.rows.flatMap((item) => (item.kind === 'node' ? [[item.node.native_id, item.node]] : [])))
  for (const entry of entries) {
    const found = entry.subagentId === null ? undefined : nodes.get(entry.subagentId)
    if (found === undefined) continue
    entry.childCount = shown(found.id).length
    entry.rollup = toRollup(sums.get(found.id) ?? newSum())
  }
  const path = [...(await pathToSession(context, session)), ...(await pathWithin(context, session, node, look))]
  return { path, entries, total: rows.length, nextCursor: page.nextCursor }
}

export async function findSession({ db }: ReadContext, id: SessionId) {
  const { rows } = await sql<SignalColumns & { key: number; project: number | null }>`
    select s.id as key, s.project_id as project, ${sql.raw(SIGNALS)} from sessions s where s.native_id = ${id} limit 1
  `.execute(db)
  const [row] = rows
  return row && { key: row.key, id, projectId: row.project, signals: signalsOf(row) }
}

/** What stands in one session. */
export async function readOutline(
  context: ReadContext,
  { key, signals }: { key: number; signals: SessionSignals },
  look: Look,
): Promise<Outline | undefined> {
  const status = (await shownStatuses(context, [{ key, signals }], look)).get(key)
  if (status === undefined) return undefined
  return (await readOutlines(context, new Map([[key, { signals, status }]]), look.now)).get(key)
}

/** The session and its agents down to this one. */
export async function pathWithin(
  context: ReadContext,
  session: FoundSession,
  node: OutlineNode | undefined,
  look: Look,
): Promise<TreeEntry[]> {
  const nodes: OutlineNode[] = []
  for (let at = node; at !== undefined; at = at.parent) nodes.unshift(at)
  const own = (await sessionEntries(context, [session.key], look)).get(session.key)
  const texts = await readNodeTexts(
    context,
    nodes.map(({ id }) => id),
  )
  const entries = nodes.map((one) => nodeEntry(one, texts.get(one.id), session.id))
  return (own === undefined ? entries : [own.entry, ...entries]).map((entry) => ({ ...entry, childCount: 1 }))
}

/** The sums of each node with everything below it. */
async function sumNodes(
  context: ReadContext,
  session: number,
  outline: Outline,
  { since }: Look,
): Promise<Map<number, Sum>> {
  const sums = new Map<number, Sum>()
  for (const node of outline.nodes.values()) {
    const sum = newSum()
    sum.running = node.status === 'running' ? 1 : 0
    sum.lastEventAt = node.last_event_at ?? 0
    sums.set(node.id, sum)
  }
  const used =
    since === undefined ? await readUsageTotals(context, [session]) : await nodesSince(context, session, since)
  for (const row of used) {
    const sum = sums.get(row.subagent_id)
    if (sum !== undefined) addUsage(sum, row, context.costOf)
  }
  for (const id of await readUnseen(context, session)) {
    const sum = sums.get(id)
    if (sum !== undefined) sum.unknownAgents = 1
  }
  // Those above stand before those below them; the other way round each is whole when it is added to the one above.
  const order = [...outline.nodes.values()].filter(({ parent }) => parent === undefined)
  for (let at = 0; at < order.length; at++)
    for (const item of outline.below.get(order[at]?.id ?? null) ?? []) if (item.kind === 'node') order.push(item.node)
  for (const { id, parent } of order.reverse()) {
    const sum = sums.get(id)
    const above = parent && sums.get(parent.id)
    if (sum !== undefined && above !== undefined) addSum(above, sum)
  }
  return sums
}
