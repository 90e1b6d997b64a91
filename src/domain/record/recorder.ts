import type { JournalRef } from '../harness/harness'

/**
 * What the collector, `lode import` and in-process commands ask of the engine: bring the record up to a file's present content.
 * Implemented by `engine/record/`, and by `app/` in front of its threads.
 */
export interface Recorder {
  /**
   * Records everything in the file that is not recorded yet. Safe to call for the same file from several processes at once.
   * Resolves when it is durable. A file that can't be read gives an outcome, never an error; errors are the database's.
   */
  recordFile(ref: JournalRef, origin?: FileOrigin): Promise<FileOutcome>
  /** The file is gone: closes its incarnation; what was recorded stays. */
  recordGone(ref: JournalRef, origin?: FileOrigin): Promise<void>
}

/** A file on another host: the record knows it by that host and its path there, but its bytes lie here. */
export interface FileOrigin {
  host: { name: string; hostname: string }
  /** Where the bytes lie on this machine; one file for one host and path. */
  at: string
  /** The sender may not write sessions of other hosts. */
  isOwnOnly?: boolean
  /** The bytes are a copy that grows as it is sent: it may end before the record does, which then came by another way. */
  mayBeBehind?: boolean
}

export interface FileOutcome {
  path: string
  /**
   * - `unchanged`  nothing new (a half-written last line may wait)
   * - `grown`      bytes were added to the open incarnation
   * - `restarted`  the file was rewritten, replaced or truncated: the old incarnation was closed, a new one begun
   * - `missing`    no such file, or not readable; `reason` says why
   * - `forgotten`  its session or path is tombstoned
   * - `behind`     `mayBeBehind` was said, and the record has these bytes and more: nothing was recorded
   * - `foreign`    its session is of another host, and `isOwnOnly` was said: nothing was recorded
   */
  state: 'unchanged' | 'grown' | 'restarted' | 'missing' | 'forgotten' | 'foreign' | 'behind'
  /** Why it can't be read, or why only its first lines can: its end is damaged. */
  reason?: string
  bytesAdded: number
  /** New rows of `conversation_events`, inherited ones included. */
  eventsAdded: number
  malformedAdded: number
  /** `null` for journals of many sessions. */
  sessionId: string | null
  /** Sessions that got their first fact by this call. */
  newSessionIds: string[]
  /** Bytes of a last line without newline that wait for their end. */
  pendingBytes: number
}

/** Nothing of the file was recorded yet. */
export const unchangedFile = ({ path, sessionId }: Pick<FileOutcome, 'path' | 'sessionId'>): FileOutcome => ({
  path,
  state: 'unchanged',
  bytesAdded: 0,
  eventsAdded: 0,
  malformedAdded: 0,
  sessionId,
  newSessionIds: [],
  pendingBytes: 0,
})
