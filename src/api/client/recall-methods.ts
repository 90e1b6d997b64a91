import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'

/** The client's methods for what sessions are told, and for hand-overs. */
export interface RecallClient {
  /** @returns the text; '' = nothing to say */
  recall(input: RequestInput<'recall'>, options?: CallOptions): Promise<string>
  readonly handoffs: {
    create(input: RequestInput<'handoffs.create'>, options?: CallOptions): Promise<ResponseOf<'handoffs.create'>>
    list(input?: RequestInput<'handoffs.list'>, options?: CallOptions): Promise<ResponseOf<'handoffs.list'>>
  }
}

export function recallMethods(caller: Caller): RecallClient {
  const { call } = caller
  return {
    recall: async (input, o) => (await caller.open('recall', input, o)).text(),
    handoffs: {
      create: (input, o) => call('handoffs.create', input, o),
      list: (input = {}, o) => call('handoffs.list', input, o),
    },
  }
}
