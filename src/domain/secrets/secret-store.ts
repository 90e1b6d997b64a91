import type { IncarnationKey, SessionId, SessionKey } from '../ids'
import type { Awaitable, Page, PageRequest } from '../port'
import type { IndexedText } from '../record/record-store'

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
  /** Where a secret stands, with the file's path; empty = nowhere. */
  marksOf(id: string): Promise<SecretPlace[]>
  /** How far each journal was looked through with these rules, for those that are not at their end. */
  unscanned(rules: string, limit: number): Promise<UnscannedJournal[]>
}

/** A place of a secret. */
export interface SecretPlace {
  incarnation: IncarnationKey
  offset: number
  length: number
  rule: string
  /** The file, on the host of this `hosts.name`. */
  path: string
  hostName: string
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

/** What stands in a journal for a secret that was erased, with `*` up to its length; as much of it as a short secret has room for. */
export const ERASED_WORD = '[secret erased]'

/** A column of a table. */
export interface TextColumn {
  table: string
  column: string
}

/** Takes a secret out of the database, step by step. */
export interface SecretErasure {
  /** Overwrites these bytes of a journal. @throws `conflict` (`details.isSealed`) they lie in a pack */
  overwrite(incarnation: IncarnationKey, offset: number, length: number): Promise<void>
  /** The file was overwritten too: it goes on being the same file. @throws `conflict` as `overwrite` */
  renewFingerprints(incarnation: IncarnationKey): Promise<void>
  /** Columns that may quote a conversation. */
  textColumns(): Promise<TextColumn[]>
  /** @returns how many rows held the text */
  replaceText(column: TextColumn, text: string, mask: string): Promise<number>
  /** Takes the event that holds this byte out of the full-text index. @returns what to index instead; `null` = there is none */
  unindex(incarnation: IncarnationKey, offset: number): Promise<IndexedText | null>
  markErased(id: string): Promise<void>
}
