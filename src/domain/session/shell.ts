import type { SessionId, SubagentId } from '../ids'

/**
 * What a look at a background shell's own process gave. A CLI that is killed leaves its shells at work, and nobody else reports them.
 * `ended`: it had outlived its CLI and is no more, how it ended nobody heard; `gone`: there was none; `stopped`: a person ended it.
 */
export const SHELL_STATES = ['alive', 'ended', 'gone', 'stopped'] as const
export type ShellState = (typeof SHELL_STATES)[number]

/** A shell whose CLI tells nothing of it (any more). */
export interface OpenShell {
  sessionId: SessionId
  task: SubagentId
  /** As recorded. */
  outputFile: string | null
  /** The process that was seen at work; `null` = nobody has looked yet. */
  process: { pid: number; startedAt: string } | null
}

export interface ShellProcess {
  sessionId: SessionId
  task: SubagentId
  state: ShellState
  process: { pid: number; startedAt: string } | null
  /** Milliseconds since the epoch. */
  at: number
}

export interface ShellReads {
  /**
   * Shells of a machine that a look at its processes reports: those without an end whose session is over, and those that were seen at
   * work since.
   *
   * @param host  the machine's random name: no other one can judge its processes
   * @param now  milliseconds since the epoch
   * @param over  sessions whose process was just found to be gone, which the record does not know yet
   */
  open(host: string, now: number, limit: number, over?: readonly string[]): Promise<OpenShell[]>
}
