import type { BilledUsage } from '../cost/usage'
import type { FeedKind } from '../feed'
import type { JournalRef } from '../harness/harness'
import type { AgentName, EventKey, HostKey, IncarnationKey, JournalKey, SessionKey, SubagentKey } from '../ids'
import type { Awaitable } from '../port'
import type { Product } from '../session/product'
import type { SubagentMark } from '../subagent/subagent-run'
import type { TodoFoldOptions } from '../todo/todo-step'
import type { EndStatus, Launch, LinkEvidence, MentionObservation, TodoChange } from './observation'

/** Where a journal stands: what must match the file before bytes are added. */
export interface JournalCursor {
  key: JournalKey
  sessionKey: SessionKey | null
  subagentNativeId: string | null
  /** The open incarnation; `null` when there is none yet or the last one was closed. */
  incarnation: IncarnationState | null
  /** Number of the newest incarnation, open or closed; 0 = none. */
  lastNumber: number
}

export interface IncarnationState {
  key: IncarnationKey
  number: number
  device: number | null
  inode: number | null
  /** Bytes stored. */
  size: number
  /** Bytes parsed: always the end of a whole line, or of a broken one that was closed by a newline. */
  parsed: number
  headLength: number
  headHash: Uint8Array | null
  tailLength: number
  tailHash: Uint8Array | null
  /** Milliseconds; lines with a uuid that are older are inherited. `null` = not known (yet). */
  ownFromAt: number | null
  /** What the parser keeps of the lines up to `parsed`; see `ParsedLines.carry`. */
  carry: string | null
}

export type CloseReason = 'rewritten' | 'replaced' | 'truncated' | 'deleted'

/** What search finds of one event. */
export interface IndexedText {
  event: EventKey
  session: SessionKey
  text: string
  /** The text is what a tool gave out: it weighs less than what somebody said. */
  isOutput: boolean
}

export interface EventRow {
  sessionKey: SessionKey
  /** 16 bytes. */
  uuid: Uint8Array
  /** The line before it in the chain, 16 bytes; `null` = it begins one, or its source does not say (streams). */
  parentUuid: Uint8Array | null
  at: number
  type: string
  role: string
  subagentKey: SubagentKey | null
  parentToolUseId: string | null
  toolUseId: string | null
  toolName: string | null
  text: string | null
  isInherited: boolean
  isCut: boolean
  /** See `EventObservation.isFinal`. */
  isFinal: boolean
  incarnation: IncarnationKey
  offset: number
  length: number
  /** The line stands in the main thread's own file: beats a copy of it in a sub-agent's file. */
  isMainFile: boolean
}

export interface ToolUseRow {
  sessionKey: SessionKey
  toolUseId: string
  name: string | null
  subagentKey: SubagentKey | null
  /** Whether `subagentKey` says anything (a hook may not know the node). */
  isPlaced: boolean
  calledAt: number | null
  endedAt: number | null
  isError: boolean | null
  /** See `ToolResultObservation`. */
  isInterrupted: boolean
  /** Fills what is not known yet of the sub-agent or background task that the call launched. */
  launch: Launch | null
  /** See `ToolCallObservation`; `null` = none. */
  files: string[] | null
}

/** A commit or pull request that a tool's output shows. */
/** What says that a request was merged, see `domain/session/merge.ts`. */
export interface MergeRow {
  sessionKey: SessionKey
  request: string
  /** The call that merges it if it goes well; '' = an output says that it is merged. */
  toolUseId: string
  /** Milliseconds. The first time counts. */
  at: number
}

export interface ProductRow extends Product {
  sessionKey: SessionKey
  /** Milliseconds; 0 = not known. The first time counts. */
  at: number
}

export interface UsageRow extends BilledUsage {
  sessionKey: SessionKey
  messageId: string
  subagentKey: SubagentKey | null
  model: string
  at: number | null
  isMainFile: boolean
}

/** `internal`: a fork that the CLI made for itself (compaction, suggestions): recorded, but no sub-agent to anyone. */
export type SubagentKind = 'agent' | 'shell' | 'monitor' | 'internal'

/** What one source says about a sub-agent; `null` = it says nothing about that. `store/record/` has the rules of merging. */
export interface SubagentRow {
  sessionKey: SessionKey
  nativeId: string
  kind: SubagentKind
  /** A hook's starts and ends (0) are kept apart from the lines' (1). */
  source: 0 | 1
  link: { toolUseId: string; evidence: LinkEvidence } | null
  parentNativeId: string | null
  depth: number | null
  type: string | null
  description: string | null
  prompt: string | null
  model: string | null
  isBackground: boolean | null
  outputFile: string | null
  /** The largest one said counts. */
  reportedTokens: number | null
  startedAt: number | null
  end: { status: EndStatus; at: number | null; evidence: string; result: string | null } | null
  /** What it says about runs. */
  marks: SubagentMark[]
}

/** Changes to a session row. Numbers are added, times are widened, the rest follows the rule in its comment. */
export interface SessionRow {
  sessionKey: SessionKey
  startedAt: number | null
  lastEventAt: number | null
  /** Newest by `at` wins. */
  place: { cwd: string | null; gitBranch: string | null; agentVersion: string | null; at: number } | null
  /** Newest by `at` wins. */
  model: { name: string; at: number } | null
  /**
   * Higher rank wins, then: rank 1 (first prompt) the oldest, others the newest. In a conversation that a task began, the task's title
   * stands for the first prompt.
   */
  title: { text: string; rank: 1 | 2 | 3; at: number } | null
  resumedFrom: string | null
  /** What it goes on from under another id: it is an alias of that one's address. */
  origin: { how: 'cleared' | 'resumed'; id: string; at: number } | null
  forkedFrom: { id: string; evidence: string } | null
  translatedFrom: string | null
  /** Newest by `at` wins. */
  activity: {
    state: 'working' | 'idle' | 'waiting' | 'ended'
    at: number
    evidence: string
    reason: string | null
  } | null
  /** First line of the main thread in this batch: kept when the session has none yet, as files are read from their start. */
  rootUuid: Uint8Array | null
  /** Last inherited uuid: newest by `at` wins. */
  forkPoint: { uuid: Uint8Array; at: number } | null
  /** More uuids at which a copy of this conversation may begin (the root is one in any case). */
  anchors: Uint8Array[]
  eventCount: number
  compactionCount: number
  malformedCount: number
  fileGrewAt: number | null
  /** The model's newest words on the main thread: newest by `at` wins. */
  lastWords: { text: string; at: number } | null
  /** When it was seen at work: something of it was recorded about when it was written. The newest wins; `null` = it was not. */
  liveAt: number | null
}

export interface TodoChangeRow {
  sessionKey: SessionKey
  /** `tasks`, `todo` or `todo:<agent id>`. */
  listName: string
  subagentKey: SubagentKey | null
  toolUseId: string
  at: number | null
  /** As `TodoObservation.offset`. */
  offset?: number | undefined
  source: 0 | 1
  change: TodoChange
}

/** Lists of a session whose items changed. */
export interface ChangedTodos {
  sessionKey: SessionKey
  sessionId: string
  /** As `TodoChangeRow.listName`. */
  lists: string[]
}

/** One file of a list whose folder names no session: the newest state of one item. */
export interface ListFileRow {
  /** The folder's name. */
  listName: string
  /** `file:<folder>/<name>`. */
  file: string
  change: TodoChange
}

/** Words that may be an issue's id, said at one place of a session. */
export interface MentionRow {
  sessionKey: SessionKey
  source: MentionObservation['source']
  place: string
  words: string[]
  /** Milliseconds; 0 = not known. The first time counts. */
  at: number
}

/** A line that carries a message, if there is one of this id. */
export interface MessageLineRow {
  sessionKey: SessionKey
  messageId: string
  /** 16 bytes. */
  line: Uint8Array
  at: number
}

export interface RecordTx {
  /** Finds or creates the host and remembers that it was seen. */
  host(name: string, hostname: string): Awaitable<number>
  /** Finds or creates the project that holds `root`. */
  project(hostKey: number, root: string, remote: string | null, name: string): Awaitable<number>

  /** Finds or creates the journal; `undefined` when its path or session is tombstoned. */
  journal(hostKey: number, ref: JournalRef, sessionKey: SessionKey | null): Awaitable<JournalCursor | undefined>
  openIncarnation(
    journal: JournalKey,
    state: Omit<IncarnationState, 'key' | 'parsed' | 'size' | 'ownFromAt' | 'carry'>,
    restoredFrom: IncarnationKey | null,
  ): Awaitable<IncarnationState>
  closeIncarnation(key: IncarnationKey, reason: CloseReason): Awaitable<void>
  /**
   * Adds bytes at `expected.size` (none when `chunk` is `null`) and moves the cursor.
   * @throws `conflict` with `details.raced` when the cursor is not as expected: somebody else was first.
   */
  appendChunk(
    key: IncarnationKey,
    expected: { size: number; parsed: number },
    chunk: { length: number; body: Uint8Array } | null,
    next: Omit<IncarnationState, 'key' | 'number'>,
  ): Awaitable<void>
  /** Moves the parse cursor alone, while the incarnation is read again from its chunks. */
  moveParsed(key: IncarnationKey, to: Pick<IncarnationState, 'parsed' | 'ownFromAt' | 'carry'>): Awaitable<void>
  addMalformed(key: IncarnationKey, lines: { offset: number; length: number; reason: string }[]): Awaitable<number>

  /** Finds or creates the session; `undefined` when it is tombstoned. `isNew` tells that this call made it. */
  session(
    agent: AgentName,
    nativeId: string,
    hostKey: number,
  ): Awaitable<{ key: SessionKey; isNew: boolean } | undefined>
  setSessionProject(key: SessionKey, projectKey: number): Awaitable<void>
  /** Finds or creates the sub-agent's row. A new one of kind `agent` adds 1 to the session's count. */
  subagent(
    session: SessionKey,
    nativeId: string,
    kind: SubagentKind,
  ): Awaitable<{ key: SubagentKey; toolUseId: string | null }>
  /** The sub-agent that this tool call is known to have launched. */
  subagentByToolUse(session: SessionKey, toolUseId: string): Awaitable<SubagentKey | null>
  /** The node of an event that is already stored; `undefined` when it is not. */
  nodeOfEvent(session: SessionKey, uuid: Uint8Array): Awaitable<SubagentKey | null | undefined>

  /**
   * Stores events that are not there yet. Gives one key per row; `null` for a row that was there: then the main file's line
   * beats a sub-agent file's copy, and a node that was not known is filled in. A sub-agent's event counts and times are kept along.
   */
  insertEvents(rows: EventRow[]): Awaitable<(EventKey | null)[]>
  indexText(rows: IndexedText[]): Awaitable<void>
  /** Merges by (session, tool use); keeps the sessions' counts of calls, of failed ones and of changed files in step. */
  mergeToolUses(rows: ToolUseRow[]): Awaitable<void>
  /** Maximum of each field by message; keeps `usage_totals` and the sessions' sums in step. The main file's node wins over a copy's. */
  mergeUsage(rows: UsageRow[]): Awaitable<void>
  /** Puts together what was added to the sums of some hours. Costs are the same before and after. Returns whether there may be more. */
  foldUsage(): Awaitable<boolean>
  /**
   * Counts what sessions cost by the prices of now, unless that was done with these prices, whose digest is given: those behind `after`,
   * some hundred at once. Returns the last of them; `null` = there are no more.
   */
  recountCosts(prices: string, after: number): Awaitable<SessionKey | null>
  /** Merges what sources say; when a link becomes known or stronger, the events' `parent_tool_use_id` follow. Returns the ids that changed. */
  mergeSubagents(rows: SubagentRow[]): Awaitable<string[]>
  /**
   * Notes which results of sub-agents the lines of this session show to be consumed (`domain/session/consumed.ts`). Cheap while none waits
   * for it. Returns the native ids of sub-agents whose results are read now.
   */
  settleReads(session: SessionKey): Awaitable<string[]>
  /** Keeps which lines carry messages; ids of no message are passed over. */
  addMessageLines(rows: MessageLineRow[]): Awaitable<void>
  /** Notes which of them the model went on from, by the same rule. Cheap while none waits for it. */
  settleMessageLines(session: SessionKey): Awaitable<void>
  mergeSession(rows: SessionRow[]): Awaitable<void>
  /** Stores changes, then folds each list again (`domain/todo/todo.ts`) and writes its items. Returns what changed, by session. */
  applyTodoChanges(rows: TodoChangeRow[], options?: TodoFoldOptions): Awaitable<ChangedTodos[]>
  /** The session's task tools work on the CLI's list of this name, which other sessions of its host may share. */
  setNativeList(
    session: SessionKey,
    list: { name: string; at: number },
    options?: TodoFoldOptions,
  ): Awaitable<ChangedTodos[]>
  /** Takes in files of lists whose folder names no session. They wait until a session is known to have the list. */
  putListFiles(host: HostKey, files: ListFileRow[], options?: TodoFoldOptions): Awaitable<ChangedTodos[]>
  addMentions(rows: MentionRow[]): Awaitable<void>
  addProducts(rows: ProductRow[]): Awaitable<void>
  /** Each in the project that its session has now. */
  addMerges(rows: MergeRow[]): Awaitable<void>
  /**
   * Sets `forkedFrom` of this session, and of sessions forked from it, where the evidence is complete: the fork's last
   * inherited line is an own event of a session in which such a copy may begin (`anchors`).
   */
  linkForks(session: SessionKey): Awaitable<void>

  countKinds(
    rows: {
      agent: AgentName
      journalKind: string
      name: string
      isKnown: boolean
      count: number
      version: string | null
    }[],
  ): Awaitable<void>
  appendFeed(
    rows: { kind: FeedKind; sessionKey: SessionKey | null; sessionNativeId: string | null; data: string }[],
  ): Awaitable<void>

  /** Empties every projection (all but hosts, projects, journals, incarnations, chunks, tombstones, feed) and resets the parse cursors. */
  clearProjections(): Awaitable<void>
}
