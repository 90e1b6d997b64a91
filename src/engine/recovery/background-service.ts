import type { Subagent } from '../../domain/session/session'

/** The end of an output file. */
export interface OutputTail {
  path: string
  text: string
  /** Size of the whole file. */
  bytes: number
  /** The file begins before `text`. */
  isCut: boolean
}

/** What the API asks of this machine about background work: files and processes. */
export interface BackgroundService {
  /**
   * The end of the output file that the record names. `null` = there is none here: not named, gone, of another machine, or no plain
   * file of this user's at the place where the CLI puts outputs.
   */
  outputTail(subagent: Subagent, maxBytes: number): Promise<OutputTail | null>
  /**
   * Ends a background shell with all that it started, and notes what became of it.
   *
   * @returns the process; `null` = none runs any longer
   * @throws `conflict` when it can't be said for certain which process it is
   */
  stop(subagent: Subagent): Promise<number | null>
  /** @returns whether the run was unread until now. @throws `not_found` when there is no such run */
  markRead(subagent: Subagent, run: number, by: string): Promise<boolean>
}
