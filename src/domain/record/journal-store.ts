import type { JournalRef } from '../harness/harness'
import type { AgentName, SessionId, SubagentId } from '../ids'

/** A journal of a session with its incarnations, newest incarnation first. */
export interface StoredJournal {
  id: number
  kind: string
  path: string
  /** `hosts.name` of the machine that the file is on. */
  hostName: string
  subagentId: SubagentId | null
  incarnations: {
    id: number
    number: number
    size: number
    openedAt: string
    closedAt: string | null
    closeReason: string | null
  }[]
}

/**
 * Orders transcripts of one conversation, by the newest incarnation of each: first the one that holds the most of it, of equals the one
 * that was begun last. Two machines may have a record each of one file, or of copies, of which the later one stands still.
 */
export const byMost = (a: Transcript, b: Transcript): number => b.size - a.size || b.openedAt.localeCompare(a.openedAt)

type Transcript = Pick<StoredJournal['incarnations'][number], 'size' | 'openedAt'>

/** A journal's open incarnation, by the file's path. */
export interface OpenJournal {
  path: string
  /** The open incarnation's id, as `read` takes it. */
  incarnation: number
  kind: string
  /** Bytes stored, and how many of them were parsed. */
  size: number
  parsed: number
  inode: number | null
  /** When bytes were last stored. */
  grewAt: number | null
}

/** All of them, when nothing is given. */
export interface OpenJournalFilter {
  /** Only these files. */
  paths?: readonly string[]
  /** Only of the 200 sessions heard of last, and of those since this time in milliseconds. */
  heardSince?: number
}

export interface JournalReads {
  listBySession(session: SessionId): Promise<StoredJournal[]>
  /** The bytes of an incarnation in order, decompressed, chunk by chunk. */
  read(incarnation: number, from?: number, length?: number): AsyncIterable<Uint8Array>
  /** Journals of a host as they stand: what the collector compares with the files. Times in milliseconds. */
  listOpen(hostName: string, filter?: OpenJournalFilter): Promise<OpenJournal[]>
  /** The session of a sub-agent's file that does not name it: as it was recorded before, or that of the thread that launched it. */
  sessionByLauncher(hostName: string, ref: JournalRef): Promise<SessionId | null>
  /** Every incarnation in the order in which it was recorded, for `rebuild`. */
  listAll(): AsyncIterable<{
    journal: StoredJournal
    agent: AgentName
    sessionId: SessionId | null
    /** Where the file is: `hosts.name`, and what the machine calls itself. */
    host: { name: string; hostname: string }
  }>
}

/** Whether a server may work on the database now. */
export interface Readiness {
  /** The newest migration of the database. */
  schemaVersion: number
  /** The newest migration that this program knows. */
  neededVersion: number
  /** How long the oldest committed entry of the feed has waited for its number, in milliseconds by the database's clock. */
  feedLagMs: number
}

/** How much waits now. */
export interface QueueFigures {
  /** Tasks that are not final, by status. */
  tasks: Record<string, number>
  /** Attempts that hold a lease, and those of them whose lease has run out. */
  attempts: number
  overdue: number
  /** That are open. */
  questions: number
  /** That are not consumed, by status. */
  messages: Record<string, number>
  /** The number of the feed's newest entry. */
  feedSeq: number
  /** As in `Readiness`. */
  feedLagMs: number
}

export interface DiagnosticReads {
  /** See `PollAnswer.epoch`. */
  epoch(): Promise<string>
  /** Cheap: a few rows by an index. */
  readiness(): Promise<Readiness>
  /** Reads what is open, each by an index of its own; what has ended is not counted, so it does not grow with the record. */
  queue(): Promise<QueueFigures>
  recordKinds(): Promise<
    {
      agent: AgentName
      journalKind: string
      name: string
      isKnown: boolean
      count: number
      version: string | null
      lastSeenAt: string
    }[]
  >
  /** The agents' CLIs in the record with their versions, oldest first; `null` = none of an agent's records names one. */
  agentVersions(): Promise<{ agent: AgentName; version: string | null }[]>
  malformedLines(limit: number): Promise<{ path: string; offset: number; length: number; reason: string }[]>
  /** Rows by table, bytes of the database, schema version, database kind and its settings. */
  storage(): Promise<{
    kind: 'sqlite' | 'postgres'
    schemaVersion: number
    bytes: number | null
    rows: Record<string, number>
    settings: Record<string, string>
  }>
}
