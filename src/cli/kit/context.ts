import type { Client } from '../../api/client/client'
import type { Config, ConfigFlags, ConfigReport } from '../../config/load'
import type { Globals } from './arguments/global-options'
import type { Io } from './io'
import type { Shell } from './shells'

/** What a command gets: its surroundings and the ways to answer. */
export interface Context {
  readonly io: Io
  readonly globals: Globals
  /** How the command was called, e.g. `lode session list`. */
  readonly path: string
  /** Aborted by Ctrl-C and SIGTERM; a command that waits must end soon after. */
  readonly signal: AbortSignal
  /**
   * Takes over the second Ctrl-C, which otherwise ends the process at once. The signal that it gives is aborted by that one; a third
   * ends the process.
   */
  takeSecondSignal(): AbortSignal
  /** What a shell reads to complete words of every command. */
  completionScript(shell: Shell): Promise<string>

  /**
   * The settings, read at the first call.
   * @param settings  what the command's own options say; at the first call only
   * @throws `invalid`  one is wrong
   */
  config(settings?: ConfigFlags['settings']): Config
  /** The settings with their origins and what is wrong with them; never throws. */
  configReport(): ConfigReport
  /** The answering side: the live server, or the same handlers in this process; decided at the first call, closed by the dispatcher. */
  connection(): Promise<Connection>
  /** The connection's client. */
  client(): Promise<Client>

  /**
   * The command's answer: `value` as JSON with `--json`, else the readable text (made only then), which ends with a newline. A terminal gets
   * long lines broken between words, unless the text `isExact`: code, a patch, a file.
   */
  answer(value: unknown, text: () => string, as?: { isExact?: boolean }): void
  /** A remark on stderr, in one line as far as the terminal is wide; not with `--quiet`. */
  note(text: string): void
}

export interface Connection {
  client: Client
  /** The server's address; `null` = in process. */
  url: string | null
  /** What is presented to the server, or what tells it of now; `null` = in process, or the server asks for none. */
  token: string | (() => string) | null
  /** On another machine: paths mean that machine's files. */
  isRemote: boolean
  close(): Promise<void>
}

/** A connection to a server. */
export interface ServerConnection extends Connection {
  url: string
  /** All addresses at which it may be reached: servers of one record. */
  urls: readonly [string, ...string[]]
}
