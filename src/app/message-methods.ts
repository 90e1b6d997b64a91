import type { MessageService } from '../engine/messages/message-service'

/** Every method of the port, by name: what may be asked of the thread that writes. */
export const MESSAGE_METHODS = [
  'send',
  'take',
  'wait',
  'acknowledge',
  'withdraw',
  'launch',
  'flights',
  'settle',
] as const satisfies readonly (keyof MessageService)[]

export type MessageMethod = (typeof MESSAGE_METHODS)[number]

export const isMessageMethod = (name: string): name is MessageMethod =>
  (MESSAGE_METHODS as readonly string[]).includes(name)

/** A service whose methods are all one call. */
export function messageServiceOver(call: (method: MessageMethod, args: unknown[]) => Promise<unknown>): MessageService {
  const entries = MESSAGE_METHODS.map((method) => [method, (...args: unknown[]) => call(method, args)])
  // Each name has the port's own signature on the other side of the call.
  return Object.fromEntries(entries) as unknown as MessageService
}
