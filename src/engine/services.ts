import type { SessionId } from '../domain/ids'

/**
 * What the API asks of the running product beside reading the store. The composition root implements it over the recorder, the
 * collector and the database; the handlers know nothing of those.
 */
export interface Services {
  /**
   * Records files and folders once. Idempotent. A file that can't be read is a problem in the totals, never an error.
   *
   * @param paths  absolute
   * @throws `not_found` when none of `paths` exists; the database's errors
   */
  importPaths(paths: string[], onProgress?: (progress: WorkProgress) => void): Promise<ImportOutcome>
  /** Derives every projection again from the journals. @throws `conflict` while another rebuild runs. */
  rebuild(onProgress?: (progress: WorkProgress) => void): Promise<RebuildOutcome>
  /** Removes the session and its journals, tombstones its id and paths, scrubs the database files. @throws `not_found` */
  forget(id: SessionId): Promise<void>
  /**
   * Keeps one hook payload of Claude Code, durably, in this host's hook journal.
   *
   * @param payload  a JSON object's bytes as they were sent, at most `hookBodyBytes`
   */
  recordHook(payload: Uint8Array): Promise<void>
  /**
   * Takes in what the hook journal and the transcripts of the session (`null`: of all that changed) hold beyond the record. Called
   * before reads. A server with a collector has no need of it and leaves it out; in-process commands have nobody else to do it.
   */
  catchUp?(session: SessionId | null): Promise<void>
  /** The collector's own facts; `null` when none runs here. */
  collectorFacts(): CollectorState | null
  storageFacts(): Promise<StorageState>
}

/** Totals grow while files are still being found. */
export interface WorkProgress {
  filesDone: number
  filesTotal: number
  bytesDone: number
  bytesTotal: number
}

export interface FileTrouble {
  path: string
  /** For a person, e.g. `permission denied`. */
  reason: string
}

/** Of files and bytes looked at; `sessions` and `events` are what the record gained. */
export interface ImportOutcome {
  files: number
  bytes: number
  sessions: number
  events: number
  malformedLines: number
  durationMs: number
  problems: FileTrouble[]
}

/** Of what the record holds after the rebuild. */
export type RebuildOutcome = Omit<ImportOutcome, 'problems'>

export interface CollectorState {
  isRunning: boolean
  /** Folders that it follows. */
  roots: string[]
  files: number
  /** Files known to hold bytes that are not recorded yet. */
  filesBehind: number
  /** ISO 8601. */
  lastScanAt: string | null
  problems: FileTrouble[]
}

export interface StorageState {
  kind: 'sqlite' | 'postgres'
  /** The database file, or host and name of the database; never a password. */
  location: string
  bytes: number | null
}
