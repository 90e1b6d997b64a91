import type { Address } from '../../domain/ids'
import type { Attachment } from '../../domain/registry'

/** What a client says of the conversation that it registers. What is left out stays as it was. */
export interface RegisterSession {
  /** What kind of client, e.g. `terminal`, `vscode`, `web`. */
  client?: string | undefined
  /** The machine's own name. */
  host?: string | undefined
  project?: string | undefined
  title?: string | undefined
  owner?: string | undefined
  capabilities?: string[] | undefined
  /** At most 16,384 characters as JSON. */
  metadata?: Record<string, unknown> | undefined
}

/** The client that attaches. A client that restarts under the same two names is the same. */
export interface AttachClient {
  client: string
  host: string
}

export interface AttachedClient {
  address: Address
  attachment: Attachment
  /** It was attached already: this is the same client, restarted. */
  isReattached: boolean
  /** Other attached clients, also on other hosts. */
  others: Attachment[]
}

/** How a conversation goes on as a task. */
export interface ResumeAsTask {
  /** It goes on in a copy, cut here: whoever uses the conversation stays there. */
  forkAt?: string | undefined
  /** What is said to it; default that it goes on where it stopped. */
  text?: string | undefined
  title?: string | undefined
  /** Absolute. */
  dir?: string | undefined
  /** Id or name. */
  agentId?: string | undefined
  /** The agent CLI that goes on, or several, the best first; default that of the session. */
  agentClis?: string[] | undefined
  model?: string | undefined
}
