import type { InboxService } from '../engine/inbox/inbox-service'

/** Every method of the port, by name: what may be asked of the thread that writes. */
export const INBOX_METHODS = [
  'receive',
  'delegate',
  'reply',
  'close',
  'putSource',
  'removeSource',
  'fetchReplies',
  'announce',
  'takeReplies',
  'settleReply',
] as const satisfies readonly (keyof InboxService)[]

export type InboxMethod = (typeof INBOX_METHODS)[number]

export const isInboxMethod = (name: string): name is InboxMethod => (INBOX_METHODS as readonly string[]).includes(name)

/** A service whose methods are all one call. */
export function inboxServiceOver(call: (method: InboxMethod, args: unknown[]) => Promise<unknown>): InboxService {
  const entries = INBOX_METHODS.map((method) => [method, (...args: unknown[]) => call(method, args)])
  // Each name has the port's own signature on the other side of the call.
  return Object.fromEntries(entries) as unknown as InboxService
}
