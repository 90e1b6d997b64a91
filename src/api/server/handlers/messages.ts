import { AppError } from '../../../domain/errors'
import { type Address, messageId } from '../../../domain/ids'
import type { MessageFilter } from '../../../domain/message-store'
import type { Caller } from '../../../domain/worker-protocol'
import { ownAddress } from '../../../engine/messages/address'
import type { SendMessage } from '../../../engine/messages/message-service'
import { DEFAULT_PAGE_LIMIT } from '../../contract/routes'
import type { Context } from '../context'
import { filterAddress, readableAddress } from '../find-address'
import { filterTaskId, settle } from '../find-task'
import type { Call, Handler } from '../handler'
import { idempotencyKey } from '../idempotency-key'
import { lastEventId } from '../last-event-id'
import { messageStream } from '../message-stream'
import { takeMessages } from '../take-messages'

export const sendMessage: Handler<'messages.send'> = async ({ caller, body, request }, { services }) => {
  const { to = '', ...rest } = body
  // A `result` is refused behind it, with what to do instead.
  const input = { to, ...rest } as SendMessage
  return { message: await services.messages.send(caller, input, idempotencyKey(request)) }
}

export const listMessages: Handler<'messages.list'> = async ({ caller, query }, context) => {
  await settle(context)
  const { limit = DEFAULT_PAGE_LIMIT, cursor } = query
  const filter = await filterOf(query, caller, context)
  const page = await context.store.messages.list(filter, { limit, ...(cursor !== undefined && { cursor }) })
  return { messages: page.rows, nextCursor: page.nextCursor }
}

async function filterOf(
  { to, from, status, kind, taskId, after }: Call<'messages.list'>['query'],
  caller: Caller,
  context: Context,
): Promise<MessageFilter> {
  const own = ownAddress(caller)
  return {
    // A run or agent sees what is to or from itself, whatever it asks for.
    ...(own !== null && { party: await context.store.messages.addressOf(own) }),
    ...(to !== undefined && { to: await filterAddress(to, context) }),
    ...(from !== undefined && { from: await filterAddress(from, context) }),
    ...(status !== undefined && { statuses: status }),
    ...(kind !== undefined && { kinds: kind }),
    ...(taskId !== undefined && { taskId: await filterTaskId(taskId, context) }),
    ...(after !== undefined && { after }),
  }
}

export const showMessage: Handler<'messages.get'> = async ({ caller, params }, { store }) => {
  const id = messageId(params.id.toLowerCase())
  const [message, steps] = await Promise.all([store.messages.find(id), store.messages.steps(id)])
  const own0 = ownAddress(caller)
  const own = own0 === null ? null : await store.messages.addressOf(own0)
  // What it may not read is not there.
  if (message === undefined || (own !== null && message.to !== own && message.from.address !== own))
    throw new AppError('not_found', `there is no message ${id}`, { hint: '`lode message list` shows what there is' })
  return { message, steps }
}

export const withdrawMessage: Handler<'messages.withdraw'> = async ({ caller, params }, { services }) => ({
  message: await services.messages.withdraw(caller, messageId(params.id.toLowerCase())),
})

export const addressMessages: Handler<'addresses.messages' | 'sessions.messages'> = async (
  { caller, params, query, request, headers },
  context,
) => {
  const at = await readableAddress(params.id, caller, context)
  if ((request.headers.get('accept') ?? '').includes('text/event-stream')) {
    const stream = follow(at, lastEventId(request), query.after ?? 0, request.signal, context)
    return new Response(stream, { headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' } })
  }
  const { after = 0, limit = DEFAULT_PAGE_LIMIT, cursor } = query
  const page = await context.store.messages.list({ to: at, after }, { limit, ...(cursor !== undefined && { cursor }) })
  return { messages: page.rows, nextCursor: page.nextCursor }
}

function follow(
  at: Address,
  last: number | undefined,
  after: number,
  signal: AbortSignal,
  { store, mail, limits, log }: Context,
): ReadableStream<Uint8Array> {
  const { logLookMs, heartbeatMs, stallMs } = limits
  return messageStream(store.messages, mail, {
    at,
    after: last ?? after,
    isBack: last !== undefined,
    lookMs: Math.min(logLookMs, heartbeatMs),
    heartbeatMs,
    stallMs,
    signal,
    onEnd(why, error) {
      const fields = { why, address: at }
      if (why === 'left' || why === 'done') log.debug('follower of an address left', fields)
      else log.warn('follower of an address cut', error === undefined ? fields : { ...fields, error })
    },
  })
}

export const takeAtAddress: Handler<'addresses.take'> = async ({ caller, params, body, request }, context) => {
  const at = await readableAddress(params.id, caller, context)
  return await takeMessages(caller, at, body, request.signal, context)
}

export const acknowledge: Handler<'addresses.acknowledge' | 'sessions.acknowledge'> = async (
  { caller, params, body },
  context,
) => {
  const at = await readableAddress(params.id, caller, context)
  const ids = body.ids.map((id) => messageId(id.toLowerCase()))
  return { messages: await context.services.messages.acknowledge(caller, at, ids) }
}
