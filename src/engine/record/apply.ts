import type { FeedKind } from '../../domain/feed'
import type { IncarnationKey, SessionKey, SubagentKey } from '../../domain/ids'
import type {
  ChangedTodos,
  EventRow,
  IndexedText,
  RecordTx,
  SessionRow,
  UsageRow,
} from '../../domain/record/record-store'
import { isNews } from '../../domain/session/session-status'
import { uuidBytes, uuidText } from '../../util/uuid'
import type { Batch, BatchEvent, Placed } from './batch'
import { messageLines } from './message-lines'

/** The database's keys for a batch. */
export interface BatchKeys {
  session: SessionKey
  isNewSession: boolean
  /** `null` for hooks, which make no events. */
  incarnation: IncarnationKey | null
  /** When the bytes were seen to grow, in milliseconds; 0 = they were recorded before, and are read anew. */
  grewAt: number
  /** Broken lines that were not counted before. */
  malformedCount: number
}

/**
 * Writes what a batch of lines (or hooks) says about one session: rows, sums and feed entries, in the caller's transaction.
 *
 * Exact under repetition: a line that is already stored adds nothing, and every merge is commutative, so the same journals
 * read in any order, in parts or twice leave the same rows.
 *
 * @returns new rows of `conversation_events`, inherited ones included
 */
export async function applyBatch(tx: RecordTx, batch: Batch, keys: BatchKeys): Promise<number> {
  const nodes = await openNodes(tx, batch, keys.session)
  await placeEvents(tx, batch, keys, nodes)
  const isMainOrKnown = ({ event }: Placed<unknown>): boolean =>
    event === undefined || event.row.subagentKey !== null || event.row.parentToolUseId === null
  const place = ({
    row,
    event,
    subagentId,
  }: Placed<{ sessionKey: SessionKey; subagentKey: SubagentKey | null }>): void => {
    row.sessionKey = keys.session
    row.subagentKey = event?.row.subagentKey ?? (subagentId === null ? null : (nodes.get(subagentId)?.key ?? null))
  }
  for (const placed of batch.toolUses) {
    place(placed)
    placed.row.isPlaced = placed.event !== undefined && isMainOrKnown(placed)
  }
  for (const placed of batch.usage) place(placed)
  for (const placed of batch.todos) place(placed)
  for (const row of batch.subagents) row.sessionKey = keys.session
  // A stream's line of a sub-agent that is not known yet: its own file will tell whose tokens these are.
  const usage = batch.usage.filter(isMainOrKnown).map(({ row }) => row)
  return await write(tx, batch, usage, keys)
}

type Node = { key: SubagentKey; toolUseId: string | null }

async function openNodes(tx: RecordTx, batch: Batch, session: SessionKey): Promise<Map<string, Node>> {
  const nodes = new Map<string, Node>()
  for (const [name, kind] of batch.nodes) nodes.set(name, await tx.subagent(session, name, kind))
  return nodes
}

/** The node of each line: by the line, by the file, by the launching call, or by the line before it in the chain. */
async function placeEvents(tx: RecordTx, batch: Batch, keys: BatchKeys, nodes: Map<string, Node>): Promise<void> {
  const chain = new Map<string, Node>()
  for (const event of batch.events) {
    const { row, seen } = event
    row.sessionKey = keys.session
    if (keys.incarnation !== null) row.incarnation = keys.incarnation
    const node = event.subagentId === null ? undefined : nodes.get(event.subagentId)
    if (node) {
      row.subagentKey = node.key
      row.parentToolUseId = node.toolUseId ?? seen.parentToolUseId
    } else if (seen.parentToolUseId !== null) {
      row.subagentKey = await tx.subagentByToolUse(keys.session, seen.parentToolUseId)
    } else if (seen.isSidechain) {
      const found = await sidechainNode(tx, event, keys.session, chain)
      chain.set(seen.uuid, found)
      row.subagentKey = found.key
      row.parentToolUseId = found.toolUseId
    }
  }
}

/**
 * Transcripts of 1.0.x hold sub-agents' lines without an id. The chain of `parentUuid` says which belong together; the
 * first line of a chain names the node. Its launch was not recorded: an orphan, until evidence comes.
 */
async function sidechainNode(
  tx: RecordTx,
  { seen }: BatchEvent,
  session: SessionKey,
  chain: Map<string, Node>,
): Promise<Node> {
  if (seen.parentUuid !== null) {
    const before = chain.get(seen.parentUuid)
    if (before) return before
    const stored = await tx.nodeOfEvent(session, uuidBytes(seen.parentUuid))
    if (stored) return { key: stored, toolUseId: null }
  }
  return await tx.subagent(session, `sidechain-${seen.uuid}`, 'agent')
}

/** Lines of a sub-agent may stand in the same file as its launch: the call that launched it is known only now. */
async function tellLaunches(tx: RecordTx, batch: Batch, session: SessionKey, changed: ReadonlySet<string>) {
  const calls = new Map<string, string | null>()
  for (const { row, seen, subagentId } of batch.events) {
    const kind = subagentId === null ? undefined : batch.nodes.get(subagentId)
    if (subagentId === null || kind === undefined || !changed.has(subagentId)) continue
    if (!calls.has(subagentId)) calls.set(subagentId, (await tx.subagent(session, subagentId, kind)).toolUseId)
    row.parentToolUseId = calls.get(subagentId) ?? seen.parentToolUseId
  }
}

/** The rows in the order in which later ones need earlier ones: links before events saves filling them in afterwards. */
async function write(tx: RecordTx, batch: Batch, usage: UsageRow[], keys: BatchKeys): Promise<number> {
  const { place } = batch
  // A copy: a unit may run again from its start.
  const session = { ...batch.session, sessionKey: keys.session, anchors: [...batch.session.anchors] }
  const changedAgents = batch.subagents.length > 0 ? await tx.mergeSubagents(batch.subagents) : []
  await tellLaunches(tx, batch, keys.session, new Set(changedAgents))
  const stored = batch.events.length > 0 ? await tx.insertEvents(batch.events.map(({ row }) => row)) : []
  const texts: IndexedText[] = []
  let added = 0
  let lastUuid: Uint8Array | null = null
  for (const [index, { row, seen, searchText }] of batch.events.entries()) {
    const key = stored[index] ?? null
    noteEvent(session, row, key !== null)
    if (key === null) continue
    added++
    lastUuid = row.uuid
    if (searchText)
      texts.push({ event: key, session: keys.session, text: searchText, isOutput: seen.type === 'tool_result' })
  }
  if (texts.length > 0) await tx.indexText(texts)
  if (batch.toolUses.length > 0) await tx.mergeToolUses(batch.toolUses.map(({ row }) => row))
  if (usage.length > 0) await tx.mergeUsage(usage)
  const changedTodos = await writeTodos(tx, batch, keys.session)
  const mentions = batch.mentions.rows(keys.session)
  if (mentions.length > 0) await tx.addMentions(mentions)
  if (batch.products.length > 0)
    await tx.addProducts(batch.products.map((product) => ({ ...product, sessionKey: keys.session })))
  const carrying = messageLines(batch)
  if (carrying.length > 0) await tx.addMessageLines(carrying)
  if (batch.events.length > 0) await tx.settleMessageLines(keys.session)
  const readAgents = batch.events.length + batch.subagents.length > 0 ? await tx.settleReads(keys.session) : []
  session.malformedCount = keys.malformedCount
  if (place.source === 1) session.fileGrewAt = keys.grewAt
  const reportedAt = Math.max(session.lastEventAt ?? 0, session.activity?.at ?? 0)
  if (isNews(reportedAt, keys.grewAt)) session.liveAt = keys.grewAt
  await tx.mergeSession([session])
  if (place.ref.kind === 'transcript' && batch.events.length > 0) await tx.linkForks(keys.session)

  const feed: { kind: FeedKind; data: Record<string, unknown> }[] = []
  if (keys.isNewSession) feed.push({ kind: 'session.created', data: {} })
  if (added > 0)
    feed.push({
      kind: 'events.recorded',
      data: { count: added, lastEventId: lastUuid ? uuidText(lastUuid) : null },
    })
  else if (session.activity || session.title || keys.malformedCount > 0)
    feed.push({ kind: 'session.updated', data: {} })
  const agents = [...new Set([...changedAgents, ...readAgents])]
  if (agents.length > 0) feed.push({ kind: 'subagent.updated', data: { ids: agents.slice(0, 50) } })
  await tx.appendFeed([
    ...feed.map((entry) => ({
      kind: entry.kind,
      sessionKey: keys.session,
      sessionNativeId: place.sessionId,
      data: JSON.stringify(entry.data),
    })),
    ...todoEntries(changedTodos),
  ])
  return added
}

/** What changed in lists of to-dos; a list that sessions share may be another session's. */
async function writeTodos(tx: RecordTx, batch: Batch, session: SessionKey): Promise<ChangedTodos[]> {
  const { place, taskList, todos } = batch
  const changed: ChangedTodos[] = []
  // A list of its own under the session's name is no other.
  if (taskList !== null && taskList.name !== place.sessionId)
    changed.push(...(await tx.setNativeList(session, taskList, place.todos)))
  if (todos.length > 0)
    changed.push(
      ...(await tx.applyTodoChanges(
        todos.map(({ row }) => row),
        place.todos,
      )),
    )
  if (changed.length > 0 && !changed.some(({ sessionKey }) => sessionKey === session))
    changed.push({ sessionKey: session, sessionId: place.sessionId, lists: ['tasks'] })
  return changed
}

/** One entry for each session whose lists changed. */
export function todoEntries(changed: readonly ChangedTodos[]): Parameters<RecordTx['appendFeed']>[0] {
  const lists = new Map<SessionKey, { sessionId: string; names: Set<string> }>()
  for (const { sessionKey, sessionId, lists: names } of changed) {
    const list = lists.get(sessionKey) ?? { sessionId, names: new Set() }
    for (const name of names) list.names.add(name)
    lists.set(sessionKey, list)
  }
  return [...lists].map(([sessionKey, { sessionId, names }]) => ({
    kind: 'todo.updated',
    sessionKey,
    sessionNativeId: sessionId,
    data: JSON.stringify({ lists: [...names] }),
  }))
}

/** Characters of the last words that a session's row keeps. */
const LAST_WORDS = 600

function newerWords(
  known: SessionRow['lastWords'],
  { text, at }: { text: string; at: number },
): SessionRow['lastWords'] {
  return known !== null && at < known.at ? known : { text: text.slice(0, LAST_WORDS).toWellFormed(), at }
}

/** What the session's row learns from one of its events. */
function noteEvent(session: SessionRow, row: EventRow, isNew: boolean): void {
  if (row.isMainFile && row.subagentKey === null) {
    session.rootUuid ??= row.uuid
    if (row.isInherited) {
      // A run that waits for its prompt writes what hooks gave it at its start with an earlier time than its first record's: an
      // attachment of its own that looks inherited, and that no parent has.
      if (row.type !== 'attachment' && (!session.forkPoint || row.at >= session.forkPoint.at))
        session.forkPoint = { uuid: row.uuid, at: row.at }
    } else if (row.type === 'compaction') session.anchors.push(row.uuid)
  }
  if (row.isInherited) return
  if (row.at > 0) {
    session.startedAt = Math.min(session.startedAt ?? row.at, row.at)
    session.lastEventAt = Math.max(session.lastEventAt ?? row.at, row.at)
  }
  if (row.type === 'text' && row.text !== null && row.subagentKey === null && row.parentToolUseId === null)
    session.lastWords = newerWords(session.lastWords, { text: row.text, at: row.at })
  if (!isNew) return
  session.eventCount++
  if (row.type === 'compaction' && row.subagentKey === null) session.compactionCount++
}
