import type { AgentName } from '../ids'

/** What this program can do with an agent CLI, as far as a person has to choose. */
export interface AgentCliFacts {
  readonly name: AgentName
  /** As people call it. */
  readonly title: string
  /** Tasks may run in it, and its sessions go on in it; else it is recorded only. */
  readonly canRun: boolean
  /** Other agent CLIs in which its conversations go on in a terminal, translated. */
  readonly continuesIn: AgentName[]
}

/** An agent CLI, as the API reports it. */
export interface AgentCli extends AgentCliFacts {
  /** A session of it is recorded. */
  readonly isRecorded: boolean
  /** A worker that is online has it. */
  readonly isAtWorker: boolean
}
