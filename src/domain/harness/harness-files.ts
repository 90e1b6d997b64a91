import type { AgentName } from '../ids'
import type { JournalRef } from './harness'

/** Where an agent CLI keeps its files. Without its parsers: commands that only look whether something is new load this alone. */
export interface HarnessFiles {
  readonly agent: AgentName
  /** Folders below a configuration folder that have journals in them. */
  readonly folders: readonly string[]
  /**
   * Whether a file's place leaves open whose it is, so that `classify` needs its first bytes. Without them it says what kind of file may
   * be there, of no session; with too few of them `null`: it is asked again when there are more.
   */
  readonly needsHead: boolean
  /** Recognises a file by its path (and its first bytes: of a stream, and where `needsHead`); `null` = not ours. Pure. */
  classify(path: string, head?: Uint8Array): JournalRef | null
  /** Files of one session that may be there: its own and its sub-agents'. Looks at the disk; never throws. */
  ofSession(root: string, sessionId: string): string[]
  /** Transcripts that changed since a time (milliseconds), with that of their last change. Looks at the disk; never throws. */
  changedSince(root: string, since: number): { path: string; at: number }[]
}
