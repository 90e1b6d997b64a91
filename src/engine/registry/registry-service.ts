import type { Address, SessionId } from '../../domain/ids'
import type { Attachment, Registration } from '../../domain/registry'
import type { Task } from '../../domain/task'
import type { Caller } from '../../domain/worker-protocol'

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

/** Who attaches. A client that restarts under the same two names is the same. */
export interface AttachClient {
  client: string
  host: string
}

export interface AttachedClient {
  address: Address
  attachment: Attachment
  /** It was attached already: this is the same client, restarted. */
  isReattached: boolean
  /** Who else is attached, also on other hosts. */
  others: Attachment[]
}

/** How a conversation goes on as a task. */
export interface ResumeAsTask {
  /** What is said to it; default that it goes on where it stopped. */
  text?: string | undefined
  title?: string | undefined
  /** Absolute. */
  dir?: string | undefined
  /** Id or name. */
  agentId?: string | undefined
  model?: string | undefined
}

/**
 * Every use case of the registry: who is at which address. Each is one unit of work. Arguments and answers are JSON values.
 *
 * Only an operator's token registers, attaches and resumes. A worker is its agent and a run its task: neither can say that it is a
 * conversation of somebody.
 *
 * Errors all methods may throw: `forbidden`, `invalid`, `too_large`, `not_found`, `conflict`.
 */
export interface RegistryService {
  /**
   * Registers a client's conversation. Without `id` it is one of a client that has none of its own: it gets `websession-` and 12 of
   * `0-9a-z`. An id that is an alias registers the address that it belongs to.
   *
   * @throws `conflict` a run is in that conversation: its address is its task
   */
  register(
    caller: Caller,
    id: string | null,
    input: RegisterSession,
    idempotencyKey: string | null,
  ): Promise<{ registration: Registration; isNew: boolean }>
  /** Makes or changes the registration of this address. `resumedAs`: the client goes on with it under this new id. */
  update(
    caller: Caller,
    id: string,
    input: RegisterSession & { resumedAs?: string | undefined },
  ): Promise<{ registration: Registration; isNew: boolean }>
  /** @throws `not_found` nobody is known at the address · `too_large` too many are attached */
  attach(caller: Caller, id: string, input: AttachClient): Promise<AttachedClient>
  /** @param which  the attachment's id, or how the client named itself. @throws `not_found` it is not attached there */
  detach(
    caller: Caller,
    id: string,
    which: { attachmentId: string } | AttachClient,
  ): Promise<{ address: Address; others: Attachment[] }>
  /**
   * Makes a task whose first attempt resumes this conversation. What it comes to is told to nobody: its receiver would be itself.
   *
   * @throws `conflict` a run is in that conversation now
   */
  resume(caller: Caller, session: SessionId, input: ResumeAsTask): Promise<Task>
}
