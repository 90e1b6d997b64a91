import type { HarnessFiles } from '../domain/harness/harness-files'
import type { AgentName } from '../domain/ids'
import type { Recorder } from '../domain/record/recorder'
import type { Clock } from './clock'

/** Where the collector says what a person should know. `fields` are JSON values; nothing is logged twice for one cause. */
export interface CollectorLog {
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
}

export interface CollectorOptions {
  /** The agent CLIs that are followed. */
  sources: readonly CollectorSource[]
  recorder: Recorder
  /** The host's hook journal; `null` = not followed. */
  hookJournal: HookJournalOptions | null
  log: CollectorLog
  /**
   * What the record holds already; asked once, at the start. Files that did not change since are not recorded again, and files
   * that are no longer there are recorded as gone. Without it every file is recorded once, which is slower and as right.
   */
  loadKnown?: () => Promise<ReadonlyMap<string, KnownFile>>
  /** Milliseconds between two looks at every file, 100 or more (default 15,000). Longer while one look takes over 2 % of that. */
  rescanMs?: number
  /** Files recorded at the same time, 1 or more (default 4). */
  concurrency?: number
  /** Least milliseconds between two recordings of one file (default 25): bounds the work for a file that grows all the time. */
  spacingMs?: number
  /** Follow files by the system's notifications (default `true`). Without it, looking again is all there is. */
  isWatching?: boolean
  clock?: Clock
}

export interface CollectorSource {
  /** Tells which folders are searched, and which files in them are journals. */
  files: Pick<HarnessFiles, 'folders' | 'needsHead' | 'classify'>
  /**
   * The CLI's own folders (`~/.claude`), absolute. One that does not exist yet is awaited; several that are the same folder by symbolic
   * links count once, under the first name.
   */
  roots: readonly string[]
}

export interface HookJournalOptions {
  /** The agent CLI of its payloads. */
  agent: AgentName
  /** `hookJournalFolder(home)`; made when it is missing. */
  folder: string
  /** Bytes at which a file is followed by a new one (default 64 MiB). */
  rotateBytes?: number
  /** Milliseconds without growth after which an old, fully recorded file is removed (default one day). */
  keepMs?: number
}

/** A file as the record holds it. */
export interface KnownFile {
  /** Bytes stored of the open incarnation. */
  size: number
  inode: number | null
  /** Milliseconds; bytes were last stored at this time, so a file that changed later must be looked at. */
  recordedAt: number
}

/**
 * How a folder is followed.
 *
 * - `watched`   the system reports changes
 * - `partial`   it reports some (watch limit reached) or has missed some (network folder): looked at every 2 s or so
 * - `unwatched` it reports none: the same
 * - `awaited`   the folder does not exist yet
 * - `duplicate` the same folder as another one
 */
export type FolderState = 'watched' | 'partial' | 'unwatched' | 'awaited' | 'duplicate'

export interface CollectorStats {
  folders: { path: string; state: FolderState; problem: string | null }[]
  /** Journals known to be there. */
  files: number
  /** Files waiting for their turn, or being recorded. */
  queued: number
  /** Calls of the recorder that succeeded, and what they added. */
  recordings: number
  bytesAdded: number
  eventsAdded: number
  /** Complete looks at all folders, and how long the last one took in milliseconds. */
  scans: number
  lastScanMs: number
  /** Milliseconds since the epoch; `null` before the first look. */
  lastScanAt: number | null
  /** Why nothing can be recorded now, and since when; `null` = all is well. */
  outage: { message: string; since: number } | null
  isReady: boolean
  /** How far the files are that were there at the start and are not recorded as they stand; `null` before the first look. */
  backfill: BackfillProgress | null
}

/** Bytes as the files had them at the first look. */
export interface BackfillProgress {
  filesDone: number
  filesTotal: number
  bytesDone: number
  bytesTotal: number
}
