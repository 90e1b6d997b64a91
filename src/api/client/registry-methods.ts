import { AppError } from '../../domain/errors'
import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'
import { callCreate } from './create'
import type { CreateOptions } from './work-client'

type Rest<Name extends Parameters<Caller['call']>[0]> = Omit<RequestInput<Name>, 'id'>
type Detail = ResponseOf<'sessions.get'>

/** The client's methods for who is at which address. `id` is any id of the conversation. */
export interface RegistryClient {
  /** A session that is recorded. @throws `not_found` also where it is registered alone: `place` tells of that */
  get(id: string, options?: CallOptions): Promise<Detail & { session: NonNullable<Detail['session']> }>
  /** What is known at an address, recorded or not. */
  place(id: string, options?: CallOptions): Promise<Detail>
  /** Without `id` it is given an address. */
  register(input: RequestInput<'sessions.register'>, options?: CreateOptions): Promise<ResponseOf<'sessions.register'>>
  put(id: string, input: Rest<'sessions.put'>, options?: CallOptions): Promise<ResponseOf<'sessions.put'>>
  attach(id: string, input: Rest<'sessions.attach'>, options?: CallOptions): Promise<ResponseOf<'sessions.attach'>>
  detach(id: string, input: Rest<'sessions.detach'>, options?: CallOptions): Promise<ResponseOf<'sessions.detach'>>
  tasks(id: string, input?: Rest<'sessions.tasks'>, options?: CallOptions): Promise<ResponseOf<'sessions.tasks'>>
  /** @throws `not_found` none is open */
  activeTask(id: string, options?: CallOptions): Promise<ResponseOf<'sessions.activeTask'>>
  /** @throws `conflict` somebody is in the conversation */
  resume(id: string, input?: Rest<'sessions.resume'>, options?: CallOptions): Promise<ResponseOf<'sessions.resume'>>
}

export function registryMethods(caller: Caller): RegistryClient {
  const { call } = caller
  return {
    async get(id, o) {
      const { session, ...rest } = await call('sessions.get', { id }, o)
      if (session !== null) return { ...rest, session }
      throw new AppError('not_found', `nothing of ${rest.address} is recorded`, {
        hint: `it is registered: \`lode session messages ${rest.address}\` shows what came for it`,
      })
    },
    place: (id, o) => call('sessions.get', { id }, o),
    register: (input, o) => callCreate(caller, 'sessions.register', input, o),
    put: (id, input, o) => call('sessions.put', { ...input, id }, o),
    attach: (id, input, o) => call('sessions.attach', { ...input, id }, o),
    detach: (id, input, o) => call('sessions.detach', { ...input, id }, o),
    tasks: (id, input = {}, o) => call('sessions.tasks', { ...input, id }, o),
    activeTask: (id, o) => call('sessions.activeTask', { id }, o),
    resume: (id, input = {}, o) => call('sessions.resume', { ...input, id }, o),
  }
}
