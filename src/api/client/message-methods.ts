import type { Message } from '../../domain/message'
import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions, FollowOptions } from './call'
import { callCreate } from './create'
import { followStream } from './follow-stream'
import { listAll } from './list-all'
import { isRecord, parseJson } from './remote-error'
import type { CreateOptions } from './work-client'

type Rest<Name extends Parameters<Caller['call']>[0]> = Omit<RequestInput<Name>, 'id'>

/** What the stream of an address tells. `isNew` false: a message that was told before is somewhere else on its way. */
export interface MessageEvent {
  isNew: boolean
  message: Message
}

/** The methods for messages. `at` is an address, or what it is known by as well. */
export interface MessageClient {
  /** @throws `invalid` `not_found` `too_large` */
  send(input: RequestInput<'messages.send'>, options?: CreateOptions): Promise<ResponseOf<'messages.send'>>
  list(input?: RequestInput<'messages.list'>, options?: CallOptions): Promise<ResponseOf<'messages.list'>>
  all(input?: Omit<RequestInput<'messages.list'>, 'cursor'>, options?: CallOptions): AsyncIterable<Message>
  get(id: string, options?: CallOptions): Promise<ResponseOf<'messages.get'>>
  withdraw(id: string, options?: CallOptions): Promise<ResponseOf<'messages.withdraw'>>
  /** Oldest first. */
  at(at: string, input?: Rest<'addresses.messages'>, options?: CallOptions): Promise<ResponseOf<'addresses.messages'>>
  /**
   * What comes to the address after this position (0 = the first), for ever; ends when `options.signal` aborts. Goes on over a lost
   * connection: no message is skipped or doubled.
   */
  follow(at: string, input?: { after?: number | undefined }, options?: FollowOptions): AsyncIterable<MessageEvent>
  /** What waits at the address, given to this call; waits for it up to `waitMs`. Asked again with the same `call`, gives the same. */
  take(at: string, input: Rest<'addresses.take'>, options?: CallOptions): Promise<ResponseOf<'addresses.take'>>
  /** Again is no error. @throws `not_found` one is not for this address, and nothing was acknowledged */
  acknowledge(at: string, ids: string[], options?: CallOptions): Promise<ResponseOf<'addresses.acknowledge'>>
}

export function messageMethods(caller: Caller): MessageClient {
  const { call } = caller
  return {
    send: (input, o) => callCreate(caller, 'messages.send', input, o),
    list: (input = {}, o) => call('messages.list', input, o),
    all: (input = {}, o) =>
      listAll(
        (cursor) => call('messages.list', { ...input, cursor }, o),
        (page) => page.messages,
      ),
    get: (id, o) => call('messages.get', { id }, o),
    withdraw: (id, o) => call('messages.withdraw', { id }, o),
    at: (id, input = {}, o) => call('addresses.messages', { ...input, id }, o),
    follow: (id, { after } = {}, o) => follow(caller, id, after, o),
    take: (id, input, o) => call('addresses.take', { ...input, id }, o),
    acknowledge: (id, ids, o) => call('addresses.acknowledge', { id, ids }, o),
  }
}

function follow(
  caller: Caller,
  id: string,
  after: number | undefined,
  options?: FollowOptions,
): AsyncGenerator<MessageEvent> {
  const input = { id, ...(after !== undefined && { after }) }
  const reader = { route: 'addresses.messages', input, cursor: after, read, besideEvent: 'update' } as const
  return followStream(caller, reader, options)
}

function read(data: string, event: string): MessageEvent | undefined {
  const message = parseJson(data)
  if (!isRecord(message) || typeof message.id !== 'string') return undefined
  return { isNew: event !== 'update', message: message as unknown as Message }
}
