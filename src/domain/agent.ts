import type { AgentId } from './ids'
import type { MachineFacts } from './machine/machine'
import type { InstalledCli } from './task/agent-choice'

export const AGENT_KINDS = ['lead', 'worker'] as const
export type AgentKind = (typeof AGENT_KINDS)[number]

/**
 * A registered identity; persists over sessions, processes and restarts. `offline`: not heard of for longer than a lease.
 */
export interface Agent {
  id: AgentId
  /** Unique. */
  name: string
  kind: AgentKind
  status: 'online' | 'offline'
  /** Hostname of where it runs. */
  host: string | null
  capabilities: string[]
  /** The agent CLIs on its machine; the first begins the tasks that name none. `null` = it does not say. */
  clis: InstalledCli[] | null
  /** What its worker found out about its machine; `null` = it does not say. */
  machine: MachineFacts | null
  /** Since then it takes nothing new; what it runs goes on. `null` = it takes tasks. */
  drainingSince: string | null
  /** When its worker was asked to restart, which it does once nothing runs there; `null` = it was not. */
  restartAskedAt: string | null
  /** Attempts that it may have at once. */
  concurrency: number
  /** Live attempts. */
  running: number
  /** A usage limit: it gets nothing before. */
  limitedUntil: string | null
  version: string | null
  /** One line for those who choose among agents; of one that was described (`lode agent add`), else `null`. */
  description: string | null
  /** The default for its runs, where a task names none. */
  model: string | null
  /** Its runs get instructions of its own, and any worker may run what it is given. */
  isSpecialist: boolean
  createdAt: string
  lastSeenAt: string | null
}

/** Whether it is a worker of a machine, and no lead or mere description. */
export const isMachine = ({ kind, host }: Pick<Agent, 'kind' | 'host'>): boolean => kind === 'worker' && host !== null

/** Bounds of what describes an agent; the message of `too_large` names them. */
export const AGENT_LIMITS = Object.freeze({
  /** Characters: the instructions stand in the text at the start of each of its runs, of which the CLI takes 10,000. */
  instructions: 6_000,
  description: 400,
  name: 100,
})

/** Runs that one agent may have at a time. */
export const AGENT_CONCURRENCY = Object.freeze({ least: 1, most: 1_000 })

/** What describes an agent. Left out: stays as it is. */
export interface AgentDescription {
  /** The text that its runs get at their start; '' = none. */
  instructions?: string | undefined
  /** `null` = the worker's own. */
  model?: string | null | undefined
  description?: string | null | undefined
  capabilities?: string[] | undefined
}

/** An agent as a file of a project describes it. */
export interface AgentFile {
  name: string
  description: string | null
  model: string | null
  instructions: string
  /** Its path. */
  file: string
  /** Why it is named otherwise than it says; `null` = nothing is wrong. */
  problem: string | null
}
