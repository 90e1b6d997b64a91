import type { AgentId } from './ids'

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
  /** Attempts that it may have at once. */
  concurrency: number
  /** Live attempts. */
  running: number
  /** A usage limit: it gets nothing before. */
  limitedUntil: string | null
  version: string | null
  createdAt: string
  lastSeenAt: string | null
}
