import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'

type More<Name extends 'sessions.recover' | 'subagents.output' | 'subagents.stop' | 'subagents.read'> = Omit<
  RequestInput<Name>,
  'id'
>

/** The client's methods for what became of a session's background work. */
export interface SessionRecoveryClient {
  recover(id: string, input?: More<'sessions.recover'>, options?: CallOptions): Promise<ResponseOf<'sessions.recover'>>
}

/** The client's methods for one sub-agent or background task. Its id may be a unique beginning. */
export interface SubagentOutputClient {
  output(id: string, input?: More<'subagents.output'>, options?: CallOptions): Promise<ResponseOf<'subagents.output'>>
  /** @throws `conflict` when it can't be said for certain which process it is */
  stop(id: string, input?: More<'subagents.stop'>, options?: CallOptions): Promise<ResponseOf<'subagents.stop'>>
  markRead(id: string, input?: More<'subagents.read'>, options?: CallOptions): Promise<ResponseOf<'subagents.read'>>
}

export const sessionRecoveryMethods = ({ call }: Caller): SessionRecoveryClient => ({
  recover: (id, input = {}, o) => call('sessions.recover', { ...input, id }, o),
})

export const subagentOutputMethods = ({ call }: Caller): SubagentOutputClient => ({
  output: (id, input = {}, o) => call('subagents.output', { ...input, id }, o),
  stop: (id, input = {}, o) => call('subagents.stop', { ...input, id }, o),
  markRead: (id, input = {}, o) => call('subagents.read', { ...input, id }, o),
})
