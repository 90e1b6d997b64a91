import { type IncarnationKey, incarnationKey, type SessionKey, sessionKey } from '../../domain/ids'
import type { EventObservation, Observation, TodoObservation } from '../../domain/record/observation'
import { TEXT_LIMIT, TOOL_TEXT_LIMIT } from '../../domain/record/observation'
import type {
  EventRow,
  ListFileRow,
  MergeRow,
  ProductRow,
  SessionRow,
  SubagentRow,
  TodoChangeRow,
  ToolUseRow,
  UsageRow,
} from '../../domain/record/record-store'
import { mergeAsked, mergesIn } from '../../domain/session/merge'
import { productsIn } from '../../domain/session/product'
import { uuidBytes } from '../../util/uuid'
import { Mentions } from './mentions'
import type { BatchPlace } from './rows'
import { backgroundRow, subagentRow, toolUseRow, usageRow } from './rows'
import { noteSession } from './session-facts'

/** Stands in a row until the unit of work knows the key. */
export const NO_SESSION: SessionKey = sessionKey(0)
export const NO_INCARNATION: IncarnationKey = incarnationKey(0)

/** An event's row, and what its node is found by. */
export interface BatchEvent {
  row: EventRow
  seen: EventObservation
  /** The sub-agent that the line or its file names. */
  subagentId: string | null
  searchText: string | null
}

/** A row that belongs to the node of an event, or to a node by name. */
export interface Placed<Row> {
  row: Row
  event: BatchEvent | undefined
  subagentId: string | null
}

/**
 * What a batch says, as rows without the database's keys: made before the unit of work, so that the one writer only waits
 * for the database.
 */
export interface Batch {
  place: BatchPlace
  /** Every sub-agent named as a node of something; `internal` ones are the CLI's own forks. */
  nodes: Map<string, 'agent' | 'internal'>
  events: BatchEvent[]
  toolUses: Placed<ToolUseRow>[]
  usage: Placed<UsageRow>[]
  todos: Placed<TodoChangeRow>[]
  mentions: Mentions
  products: ProductRow[]
  merges: MergeRow[]
  /** The list of the CLI's that the session's task tools work on, as the newest hook says it. */
  taskList: { name: string; at: number } | null
  subagents: SubagentRow[]
  session: SessionRow
}

/** Sorts observations into rows. Lines that a fork copied from its parent make events, and say nothing else. */
export function makeBatch(observations: Observation[], place: BatchPlace): Batch {
  const batch: Batch = {
    place,
    nodes: new Map(),
    events: [],
    toolUses: [],
    usage: [],
    todos: [],
    mentions: new Mentions(),
    products: [],
    merges: [],
    taskList: null,
    subagents: [],
    session: noChange(NO_SESSION),
  }
  const inherited = inheritedLines(observations, place)
  const events = new Map<string, BatchEvent>()
  const fileAgent = place.ref.kind === 'subagent' ? place.ref.subagentId : null
  const named = (subagentId: string | null): string | null => {
    if (subagentId !== null && !batch.nodes.has(subagentId)) batch.nodes.set(subagentId, 'agent')
    return subagentId
  }
  named(fileAgent)
  for (const seen of observations) {
    if (seen.kind === 'event') {
      const isInherited = inherited.has(seen.uuid)
      const event = {
        row: eventRow(seen, place, isInherited),
        seen,
        subagentId: named(seen.subagentId ?? fileAgent),
        searchText: isInherited ? null : searchTextOf(seen, place),
      }
      events.set(seen.uuid, event)
      batch.events.push(event)
      if (!isInherited && seen.type === 'tool_result') batch.products.push(...productRows(seen))
      if (!isInherited) batch.merges.push(...mergeRows(seen))
      continue
    }
    if (seen.kind === 'kind' || (seen.uuid !== null && inherited.has(seen.uuid))) continue
    switch (seen.kind) {
      case 'usage':
        batch.usage.push({
          row: usageRow(seen, place),
          event: events.get(seen.uuid),
          subagentId: named(seen.subagentId),
        })
        break
      case 'tool_call':
      case 'tool_result':
        // Hooks report calls that no line may ever show (the process died): the transcript is the truth.
        if (seen.uuid === null) break
        batch.toolUses.push({ row: toolUseRow(seen), event: events.get(seen.uuid), subagentId: named(seen.subagentId) })
        break
      case 'subagent':
        if (seen.isInternal) batch.nodes.set(seen.subagentId, 'internal')
        batch.subagents.push(subagentRow(seen, place))
        break
      case 'background':
        batch.subagents.push(backgroundRow(seen, place))
        break
      case 'todo':
        batch.todos.push({ row: todoRow(seen, place), event: undefined, subagentId: named(seen.subagentId) })
        break
      case 'session':
        if (seen.gitBranch !== undefined && place.source === 1) batch.mentions.addBranch(seen.gitBranch, seen.at)
        noteSession(batch.session, seen, place)
        break
      case 'activity':
        noteSession(batch.session, seen, place)
        break
      case 'origin':
        if (seen.sessionId !== place.sessionId)
          batch.session.origin ??= { how: seen.how, id: seen.sessionId, at: seen.at }
        break
      case 'mention':
        batch.mentions.add(seen)
        break
      case 'task_list':
        if (batch.taskList === null || isNewer(seen, batch.taskList)) batch.taskList = { name: seen.name, at: seen.at }
        break
    }
  }
  return batch
}

const productRows = ({ searchText, at }: EventObservation): ProductRow[] =>
  searchText === null
    ? []
    : productsIn(searchText).map((product) => ({ ...product, sessionKey: NO_SESSION, at: at ?? 0 }))

/** A sign without a time would be older than all requests. */
function mergeRows({ type, searchText, toolUseId, toolName, at }: EventObservation): MergeRow[] {
  if (searchText === null || at === null) return []
  const row = (request: string, toolUse: string): MergeRow => ({
    sessionKey: NO_SESSION,
    request,
    toolUseId: toolUse,
    at,
  })
  if (type === 'tool_result') return mergesIn(searchText).map((request) => row(request, ''))
  const asked = type === 'tool_call' && toolUseId !== null ? mergeAsked(searchText, toolName) : null
  return asked === null || toolUseId === null ? [] : [row(asked, toolUseId)]
}

function searchTextOf({ type, searchText }: EventObservation, { indexesOutput }: BatchPlace): string | null {
  if (type !== 'tool_result' || searchText === null) return searchText
  return indexesOutput === false ? null : endsOf(searchText)
}

/** Characters that search finds at the beginning, and at the end, of what a tool gave out. */
const OUTPUT_END = 1_000

/** Both ends of a long text: what a command was about stands at its beginning, and what came of it at its end. */
function endsOf(text: string): string {
  if (text.length <= 2 * OUTPUT_END) return text
  return `${text.slice(0, OUTPUT_END)}\n${text.slice(-OUTPUT_END)}`.toWellFormed()
}

/** What files of lists say that belong to no session. */
export function listFileRows(observations: readonly Observation[]): ListFileRow[] {
  return observations.flatMap((seen) =>
    seen.kind === 'todo' && seen.nativeList !== undefined
      ? [{ listName: seen.nativeList, file: seen.toolUseId, change: seen.change }]
      : [],
  )
}

/** The rule by which the store takes the newest as well. */
const isNewer = (a: { name: string; at: number }, b: { name: string; at: number }): boolean =>
  a.at > b.at || (a.at === b.at && a.name > b.name)

function todoRow(seen: TodoObservation, place: BatchPlace): TodoChangeRow {
  return {
    sessionKey: NO_SESSION,
    listName: todoListName(seen),
    subagentKey: null,
    toolUseId: seen.toolUseId,
    at: seen.at,
    offset: seen.offset,
    source: place.source,
    change: seen.change,
  }
}

/** uuids of lines that a fork copied from its parent: they say nothing about this session. */
function inheritedLines(observations: Observation[], place: BatchPlace): Set<string> {
  const inherited = new Set<string>()
  for (const seen of observations) if (seen.kind === 'event' && isInherited(seen, place)) inherited.add(seen.uuid)
  return inherited
}

function isInherited(event: EventObservation, place: BatchPlace): boolean {
  if (place.ref.kind !== 'transcript') return false
  if (event.isCopied || event.foreignSessionId !== null) return true
  return event.at !== null && event.at < place.ownFromAt
}

/** An empty change of the session's row. */
function noChange(key: SessionKey): SessionRow {
  return {
    sessionKey: key,
    startedAt: null,
    lastEventAt: null,
    place: null,
    model: null,
    title: null,
    resumedFrom: null,
    origin: null,
    forkedFrom: null,
    translatedFrom: null,
    activity: null,
    rootUuid: null,
    forkPoint: null,
    anchors: [],
    eventCount: 0,
    compactionCount: 0,
    malformedCount: 0,
    fileGrewAt: null,
    lastWords: null,
    liveAt: null,
  }
}

function eventRow(event: EventObservation, place: BatchPlace, isInherited: boolean): EventRow {
  return {
    sessionKey: NO_SESSION,
    uuid: uuidBytes(event.uuid),
    parentUuid: event.parentUuid === null ? null : uuidBytes(event.parentUuid),
    at: event.at ?? 0,
    type: event.type,
    role: event.role,
    subagentKey: null,
    parentToolUseId: event.parentToolUseId,
    toolUseId: event.toolUseId,
    toolName: event.toolName,
    text: rowText(event),
    isInherited,
    isCut: event.isCut === true || (event.text?.length ?? 0) > limitOf(event),
    isFinal: event.isFinal === true,
    incarnation: NO_INCARNATION,
    offset: event.offset,
    length: event.length,
    isMainFile: place.ref.kind === 'transcript',
  }
}

const limitOf = (event: EventObservation): number =>
  event.type === 'tool_call' || event.type === 'tool_result' ? TOOL_TEXT_LIMIT : TEXT_LIMIT

function rowText(event: EventObservation): string | null {
  const limit = limitOf(event)
  if (event.text === null || event.text.length <= limit) return event.text
  const cut = event.text.slice(0, limit)
  // Never half of a surrogate pair.
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/** The list that a change belongs to: TodoWrite has one per agent, the task tools share one per session. */
function todoListName(change: TodoObservation): string {
  if (change.change.op !== 'snapshot') return 'tasks'
  return change.subagentId === null ? 'todo' : `todo:${change.subagentId}`
}
