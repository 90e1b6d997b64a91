import type { Harness, JournalRef } from '../../domain/harness/harness'
import { type AgentName, hostKey as asHostKey, type IncarnationKey, type SessionKey } from '../../domain/ids'
import type { KindObservation, Observation } from '../../domain/record/observation'
import type { ListFileRow, RecordTx } from '../../domain/record/record-store'
import type { SecretMask } from '../../domain/secrets/mask'
import type { WriteTx } from '../../domain/store'
import type { TodoFoldOptions } from '../../domain/todo/todo-step'
import type { ProjectPlace } from '../../util/git/git-project'
import { applyBatch, todoEntries } from './apply'
import { type Batch, listFileRows, makeBatch } from './batch'
import { parseHookLines } from './hooks'
import { type FoundMark, parseMasked, type ShownBytes } from './masked-parse'
import { noteMarkers } from './message-lines'
import type { ParsedBytes } from './parsed-bytes'

/** What is known where a block begins. */
export interface BlockStart {
  /** In the journal. */
  offset: number
  /** See `ParsedLines.carry`. */
  carry: string | null
}

/** Parses a block by the journal's kind, with its secrets masked. Never throws. */
export function parseBytes(
  { harnessOf, mask }: { harnessOf: (agent: AgentName) => Harness; mask: SecretMask },
  ref: JournalRef,
  bytes: Uint8Array,
  start: BlockStart,
  isWhole: boolean,
): ShownBytes {
  return parseMasked(mask, bytes, start.offset, (shown) => parseShown(harnessOf, ref, shown, start, isWhole))
}

function parseShown(
  harnessOf: (agent: AgentName) => Harness,
  ref: JournalRef,
  bytes: Uint8Array,
  { offset, carry: before }: BlockStart,
  isWhole: boolean,
): ParsedBytes {
  const nothing = { observations: [], hooks: [], malformed: [], sessionId: null, ownFromAt: null, carry: null }
  if (ref.kind === 'hooks') return { ...nothing, ...parseHookLines(harnessOf, ref.agent, bytes, offset) }
  const harness = harnessOf(ref.agent)
  if (isWhole) {
    const observations = harness.parseDocument(bytes, { ref, offset })
    return { ...nothing, observations: observations ?? [], consumed: observations === null ? 0 : bytes.length }
  }
  const { observations, malformed, consumed, sessionId, head, carry } = harness.parseLines(bytes, {
    ref,
    offset,
    carry: before,
  })
  noteMarkers(observations, bytes, offset)
  const ownFromAt = head === null ? null : head.isOwn ? head.at : 0
  return { observations, hooks: [], malformed, consumed, sessionId, ownFromAt, carry: carry ?? null }
}

/** Where parsed bytes are from. */
export interface BytesPlace {
  ref: JournalRef
  /** Journals of one session. */
  sessionId: string | null
  ownFromAt: number
  projectOf(cwd: string): ProjectPlace
  todos?: TodoFoldOptions | undefined
  /** Whether search finds what tools gave out. Default: it does. */
  indexesOutput?: boolean | undefined
}

/** A block as rows, ready for its unit of work. */
export interface PreparedBytes {
  ref: JournalRef
  /** What lines say of the journal's own session. */
  own: SessionPart | null
  /** What hooks say, session by session. */
  hooks: (SessionPart & { agent: AgentName })[]
  /** Files of lists that sessions share. */
  listFiles: ListFileRow[]
  todos: TodoFoldOptions | undefined
  secrets: FoundMark[]
  kinds: Parameters<RecordTx['countKinds']>[0]
}

/** What a block says of one session. */
interface SessionPart {
  sessionId: string
  batch: Batch
  /** The first folder that the session is seen in. */
  project: ProjectPlace | null
}

/** Everything about a block that needs no transaction. Never throws. */
export function prepareBytes(parsed: ShownBytes, place: BytesPlace): PreparedBytes {
  const { ref, sessionId, ownFromAt, projectOf, todos, indexesOutput } = place
  const part = (id: string, observations: Observation[], source: 0 | 1): SessionPart => {
    const cwd = observations.find((seen) => seen.kind === 'session' && seen.cwd !== undefined)
    return {
      sessionId: id,
      batch: makeBatch(observations, { ref, sessionId: id, ownFromAt, source, todos, indexesOutput }),
      project: cwd?.kind === 'session' && cwd.cwd !== undefined ? projectOf(cwd.cwd) : null,
    }
  }
  return {
    ref,
    own: sessionId === null ? null : part(sessionId, parsed.observations, 1),
    hooks: parsed.hooks.map((hook) => ({ agent: hook.agent, ...part(hook.sessionId, hook.observations, 0) })),
    listFiles: sessionId === null ? listFileRows(parsed.observations) : [],
    todos,
    secrets: parsed.secrets,
    kinds: kindCounts(ref, [parsed.observations, ...parsed.hooks.map((hook) => hook.observations)]),
  }
}

/** The database's side of a block. */
export interface BytesKeys {
  hostKey: number
  session: { key: SessionKey; isNew: boolean } | null
  incarnation: IncarnationKey
  /** Broken lines that were not counted before. */
  malformed: number
  grewAt: number
}

/** Writes everything that a block says. The caller has moved the cursor in the same unit. */
export async function applyBytes(
  unit: Pick<WriteTx, 'record' | 'secrets'>,
  prepared: PreparedBytes,
  keys: BytesKeys,
): Promise<{ eventsAdded: number; newSessionIds: string[] }> {
  const { incarnation, grewAt, hostKey } = keys
  const tx = unit.record
  const newSessionIds: string[] = []
  let eventsAdded = 0
  const apply = async (part: SessionPart, session: { key: SessionKey; isNew: boolean }, malformedCount: number) => {
    const batchKeys = { session: session.key, isNewSession: session.isNew, incarnation, grewAt, malformedCount }
    eventsAdded += await applyBatch(tx, part.batch, batchKeys)
    if (session.isNew) newSessionIds.push(part.sessionId)
    if (part.project) {
      const { root, remote, name } = part.project
      await tx.setSessionProject(session.key, await tx.project(hostKey, root, remote, name))
    }
    const { merges } = part.batch
    // In the project that the session has by now.
    if (merges.length > 0) await tx.addMerges(merges.map((merge) => ({ ...merge, sessionKey: session.key })))
  }
  if (prepared.own && keys.session) await apply(prepared.own, keys.session, keys.malformed)
  for (const hook of prepared.hooks) {
    const session = await tx.session(hook.agent, hook.sessionId, hostKey)
    if (session) await apply(hook, session, 0)
  }
  if (prepared.listFiles.length > 0) {
    const changed = await tx.putListFiles(asHostKey(hostKey), prepared.listFiles, prepared.todos)
    await tx.appendFeed(todoEntries(changed))
  }
  if (prepared.secrets.length > 0) {
    const session = keys.session?.key ?? null
    await unit.secrets.addMarks(prepared.secrets.map((mark) => ({ ...mark, incarnation, session })))
  }
  // Last, and in one order: all writers of a PostgreSQL database count on the same rows.
  await tx.countKinds(prepared.kinds)
  return { eventsAdded, newSessionIds }
}

function kindCounts(ref: JournalRef, parts: Observation[][]): Parameters<RecordTx['countKinds']>[0] {
  const counts = new Map<string, { seen: KindObservation; count: number }>()
  for (const observations of parts)
    for (const seen of observations) {
      if (seen.kind !== 'kind') continue
      const counted = counts.get(seen.name)
      if (counted) counted.count++
      else counts.set(seen.name, { seen, count: 1 })
    }
  const inOrder = [...counts.values()].sort((a, b) => (a.seen.name < b.seen.name ? -1 : 1))
  return inOrder.map(({ seen, count }) => ({
    agent: ref.agent,
    journalKind: ref.kind,
    name: seen.name.slice(0, 200),
    isKnown: seen.isKnown,
    count,
    version: seen.version ?? null,
  }))
}
