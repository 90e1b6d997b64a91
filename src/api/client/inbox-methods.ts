import type { InboxMessage } from '../../domain/inbox'
import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'
import { callCreate } from './create'
import { listAll } from './list-all'
import type { CreateOptions } from './work-client'

type Rest<Name extends Parameters<Caller['call']>[0]> = Omit<RequestInput<Name>, 'id' | 'name'>

/** The methods for what comes from outside. What a source itself sends is signed and goes without a client. */
export interface InboxClient {
  list(input?: RequestInput<'inbox.list'>, options?: CallOptions): Promise<ResponseOf<'inbox.list'>>
  all(input?: Omit<RequestInput<'inbox.list'>, 'cursor'>, options?: CallOptions): AsyncIterable<InboxMessage>
  get(id: string, options?: CallOptions): Promise<ResponseOf<'inbox.get'>>
  /** @throws `conflict` `details.proposedParentTaskId`: its thread has a task; say whether to go on with that */
  delegate(id: string, input: Rest<'inbox.delegate'>, options?: CreateOptions): Promise<ResponseOf<'inbox.delegate'>>
  reply(id: string, input: Rest<'inbox.reply'>, options?: CreateOptions): Promise<ResponseOf<'inbox.reply'>>
  close(id: string, options?: CallOptions): Promise<ResponseOf<'inbox.close'>>
  sources(options?: CallOptions): Promise<ResponseOf<'inbox.sources'>>
  /** The secret is in the answer only where it is new. */
  putSource(
    name: string,
    input?: Rest<'inbox.putSource'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'inbox.putSource'>>
  removeSource(name: string, options?: CallOptions): Promise<ResponseOf<'inbox.removeSource'>>
}

export function inboxMethods(caller: Caller): InboxClient {
  const { call } = caller
  return {
    list: (input = {}, o) => call('inbox.list', input, o),
    all: (input = {}, o) =>
      listAll(
        (cursor) => call('inbox.list', { ...input, cursor }, o),
        (page) => page.messages,
      ),
    get: (id, o) => call('inbox.get', { id }, o),
    delegate: (id, input, o) => callCreate(caller, 'inbox.delegate', { ...input, id }, o),
    reply: (id, input, o) => callCreate(caller, 'inbox.reply', { ...input, id }, o),
    close: (id, o) => call('inbox.close', { id }, o),
    sources: (o) => call('inbox.sources', {}, o),
    putSource: (name, input = {}, o) => call('inbox.putSource', { ...input, name }, o),
    removeSource: (name, o) => call('inbox.removeSource', { name }, o),
  }
}
