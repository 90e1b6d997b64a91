import type { EndStatus } from '../record/observation'
import type { SessionSignals } from '../session/session-store'
import type { ShellState } from '../session/shell'

/**
 * What a line of a manifest says of a launch in the background. `lost`: its session is over and no end was seen; `ended`: a shell that
 * outlived its CLI and is no more, how it ended nobody heard.
 */
export type ManifestStatus = 'launched' | EndStatus | 'ended' | 'lost'

/**
 * One line of a manifest, for tools that know nothing of Lodeline. A launch has one line for each state that it came to, in one file or
 * several; what has no later line than `launched` runs, as far as is known.
 */
export interface ManifestLine {
  /** When it reached this state, ISO 8601. */
  timestamp: string
  agent_id: string
  /** An agent's type; `shell` or `monitor` for what is no agent. */
  subagent_type: string
  description: string | null
  /** First 200 characters of what it was asked, or of its command. */
  prompt_preview: string | null
  output_file: string | null
  session_id: string
  /** Where its session works. */
  cwd: string | null
  status: ManifestStatus
  /** The call that launched this run, or whose message continued it. */
  tool_use_id: string | null
  /** What the machine calls itself. */
  host: string
  /** Ends only. */
  ended_at?: string | null
  /** Ends only: first 200 characters. */
  result_preview?: string | null
}

/** A run whose state the manifests were not told yet. Times in milliseconds. */
export interface UntoldRun {
  /** The row. */
  subagentKey: number
  number: number
  /** What the manifests reported last, as stored; see `engine/recovery/manifest.ts`. */
  told: string | null
  subagentId: string
  kind: 'agent' | 'shell' | 'monitor'
  type: string | null
  description: string | null
  /** First 400 characters. */
  prompt: string | null
  outputFile: string | null
  sessionId: string
  cwd: string | null
  toolUseId: string | null
  startedAt: number | null
  endedAt: number | null
  /** `null` = no end seen. */
  status: EndStatus | null
  /** What says so. */
  evidence: string
  /** What its own process tells, of a shell, and when that was seen. */
  shell: { state: ShellState; at: number } | null
  /** When its own transcript ended with its last words; counts where its session is over and no end was seen. */
  lastWordsAt: number | null
  /** First 400 characters. */
  result: string | null
  host: { name: string; hostname: string }
  signals: SessionSignals
}

/** Reads for the manifests. Along an index in which only untold runs stand. */
export interface ManifestReads {
  /**
   * Runs in the background whose last state is not told, oldest start first.
   *
   * @param hosts  random names of the machines whose runs they are; at least one
   * @param since  what began before it, in milliseconds, and was never told, is passed over
   */
  untold(hosts: readonly string[], since: number, limit: number): Promise<UntoldRun[]>
}

/** Writes for the manifests. */
export interface ManifestTx {
  /** Sets what was reported of a run, if that is still `from`. @returns whether it was */
  setTold(run: Pick<UntoldRun, 'subagentKey' | 'number'>, from: string | null, to: string): boolean | Promise<boolean>
  /**
   * Marks what no manifest will tell: runs that began before `since` and were never told, and ends of runs in the foreground that are
   * older than `settled`. Both in milliseconds.
   */
  passOver(since: number, settled: number): void | Promise<void>
}
