import type { IncarnationKey, SessionId, SessionKey } from '../ids'
import type { Awaitable, Page, PageRequest } from '../port'

/** A secret in a journal, as intake or a scan found it. */
export interface SecretMark {
  incarnation: IncarnationKey
  /** Bytes within the incarnation. */
  offset: number
  length: number
  /** @see secretIdOf */
  id: string
  rule: string
  /** Its first characters. */
  preview: string
  /** `null` = a journal of many sessions. */
  session: SessionKey | null
  /** The event of its line, 16 bytes; `null` = none. */
  line: Uint8Array | null
}

/** Where a secret stands in one session, and how often. */
export interface FoundSecret {
  id: string
  rule: string
  /** Its first characters. */
  preview: string
  /** `null` = the journals of hooks, which hold many sessions. */
  sessionId: SessionId | null
  /** Places in the session's journals, copies included. */
  count: number
  /** An event that holds it; `null` = it stands outside of events. */
  eventId: string | null
  /** ISO 8601; when it was first found in any session. */
  firstSeenAt: string
  /** ISO 8601; `null` = its bytes are still in journals. */
  erasedAt: string | null
}

export interface SecretFilter {
  sessionId?: SessionId | undefined
  id?: string | undefined
}

export interface SecretReads {
  /** By secret and session, those found last first. */
  list(filter: SecretFilter, page: PageRequest): Promise<Page<FoundSecret>>
  /** Which of these IDs were erased. */
  erasedAmong(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** How far each journal was looked through with these rules, for those that are not at their end. */
  unscanned(rules: string, limit: number): Promise<UnscannedJournal[]>
}

/** A journal that `scan` has not seen to its end. */
export interface UnscannedJournal {
  incarnation: IncarnationKey
  session: SessionKey | null
  /** Bytes looked through, and bytes with whole lines. */
  scanned: number
  parsed: number
}

export interface SecretTx {
  /** Notes where secrets stand; what is known already stays as it is. @returns how many places are new */
  addMarks(marks: readonly SecretMark[]): Awaitable<number>
  /** The events of a journal in a range of bytes, by place. */
  linesIn(
    incarnation: IncarnationKey,
    session: SessionKey | null,
    from: number,
    to: number,
  ): Awaitable<{ offset: number; length: number; line: Uint8Array }[]>
  setScanned(incarnation: IncarnationKey, scanned: number, rules: string): Awaitable<void>
}
