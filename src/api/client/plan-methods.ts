import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'
import { callCreate } from './create'
import type { CreateOptions } from './work-client'

/** The methods for plans. */
export interface PlanClient {
  /** @throws `invalid` a cycle, a key twice, or one that is not there · `too_large` `not_found` */
  create(input: RequestInput<'plans.create'>, options?: CreateOptions): Promise<ResponseOf<'plans.create'>>
  /** Waits for tasks, planned or not. */
  await: AwaitTasks
  get(id: string, options?: CallOptions): Promise<ResponseOf<'plans.get'>>
}

/** `call` names the wait: sent again with the same, it gives the same messages. */
export type AwaitTasks = (
  input: RequestInput<'tasks.await'>,
  options?: CallOptions,
) => Promise<ResponseOf<'tasks.await'>>

export function planMethods(caller: Caller): PlanClient {
  return {
    create: (input, o) => callCreate(caller, 'plans.create', input, o),
    await: (input, o) => caller.call('tasks.await', input, o),
    get: (id, o) => caller.call('plans.get', { id }, o),
  }
}
