import type { AgentName } from '../ids'

/** A process of an agent CLI on this machine that holds a conversation now. */
export interface LiveSession {
  agent: AgentName
  /** As the CLI calls it now; see `engine/mail/address.ts` for its address. */
  sessionId: string
  pid: number
  /** As `util/process/process-tree.ts` has it. */
  startedAt: string
  /** `null` = the release does not say. */
  status: 'busy' | 'idle' | null
  /** Where it takes messages; `null` = nowhere. */
  socket: string | null
}

/** How conversations that nobody of ours runs are found on this machine, and reached. */
export interface HarnessLive {
  /** @param roots  the CLI's configuration folders */
  sessions(roots: readonly string[]): LiveSession[]
  /**
   * Reads in which permission mode conversations are. A file that did not change is not read twice.
   *
   * @returns a function that takes the path of a transcript; `null` = the transcript does not say
   */
  permissionModes(): (transcript: string) => string | null
  /**
   * Puts a text into a `socket`. That it was sent proves nothing; a line of the transcript does.
   *
   * @returns `false` = no byte of it was taken
   */
  send(socket: string, text: string): Promise<boolean>
}

/** Bytes of a transcript from some place on, read as the CLI writes them. Pure. */
export interface TranscriptCheck {
  /** Whether a line that the model reads holds the marker: what is only queued proves nothing, and the model may repeat one. */
  isRead(bytes: Uint8Array, marker: string): boolean
  /** Whether a person spoke after `since` (milliseconds since the epoch) and the model answered. */
  isAnsweredSince(bytes: Uint8Array, since: number): boolean
}

/** A file in which a running CLI reports its process. */
export interface PresenceFile {
  pid: number
  sessionId: string
  /** The process's start as the system counts it, in the CLI's words; `null` = it does not say. */
  procStart: string | null
  /** Where the pid means something, e.g. `linux:<machine>:pid:[4026531836]`; `null` = not said. */
  pidDomain: string | null
  /** Milliseconds since the epoch. */
  startedAt: number | null
  status: 'busy' | 'idle' | null
}

/** A process of an agent CLI of this machine, and a conversation that it has open. */
export interface HeldSession {
  pid: number
  sessionId: string
}

/** How the processes of a CLI that hold conversations are found: by a file that each of them writes, or by what they hold. */
export type HarnessPresence = PresenceFiles | PresenceLook

/** What processes hold, and what the system reports of them. */
export interface PresenceLook {
  readonly by: 'look'
  /** Below a configuration folder; '' = that folder. Where it is not, nothing is held. */
  readonly folder: string
  /** Whether a change there is looked at at once, and not only every few seconds: for a folder that changes with what is held alone. */
  readonly isWatched: boolean
  /** Looks once. What is not certain is left out. Never throws. @returns `null` = this system does not tell */
  look(root: string): readonly HeldSession[] | null
}

/** Files of the CLI that tell which processes of it are there. */
export interface PresenceFiles {
  readonly by: 'files'
  /** Below a configuration folder. */
  readonly folder: string
  /** The pid that a file's name stands for; `null` for every other file. */
  pidOf(fileName: string): number | null
  /** `null` when it can't be read or makes no sense, as in the middle of a write. Never throws. */
  read(path: string, pid: number): Promise<PresenceFile | null>
}
