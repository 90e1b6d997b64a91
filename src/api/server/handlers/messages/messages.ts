import { READ_MESSAGE } from '../../../../domain/access/rules'
import { AppError } from '../../../../domain/errors'
import { type Address, messageId } from '../../../../domain/ids'
import type { MessageFilter } from '../../../../domain/message/message-store'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { hasAccess } from '../../../../engine/access/require-access'
import { ownAddress } from '../../../../engine/mail/address'
import type { SendMessage } from '../../../../engine/messages/message-inputs'
import { messages } from '../../../contract/operations/messages'
import { sessions } from '../../../contract/operations/sessions'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import { askingOf } from '../../callers/authorize'
import type { Context } from '../../context'
import { filterAddress, readableAddress } from '../../find/find-address'
import { checkAgentCli } from '../../find/find-agent-cli'
import { filterTaskId, settle } from '../../find/find-task'
import { type Call, handle } from '../../handler'
import { idempotencyKey } from '../../request/idempotency-key'
import { lastEventId } from '../../streams/last-event-id'
import { messageStream } from '../../streams/message-stream'
import { takeMessages } from './take-messages'

export const sendMessage = handle(messages.send, async ({ caller, body, request }, { services }) => {
  const { to = '', ...rest } = body
  // A `result` is refused behind it, with what to do instead.
  const input = { to, ...rest } as SendMessage
  return { message: await services.messages.send(caller, input, idempotencyKey(request)) }
})

export const listMessages = handle(messages.list, async ({ caller, query }, context) => {
  await settle(context)
  const { limit = DEFAULT_PAGE_LIMIT, cursor } = query
  checkAgentCli(query.agent, context)
  const filter = await filterOf(query, caller, context)
  const page = await context.store.messages.list(filter, { limit, ...(cursor !== undefined && { cursor }) })
  return { messages: page.rows, nextCursor: page.nextCursor }
})

async function filterOf(
  { to, from, status, kind, taskId, agent, after, newestFirst }: Call<typeof messages.list>['query'],
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
    ...(agent !== undefined && { agent }),
    ...(after !== undefined && { after }),
    ...(newestFirst !== undefined && { newestFirst }),
  }
}

export const showMessage = handle(messages.get, async ({ caller, params }, { store, services }) => {
  const id = messageId(params.id.toLowerCase())
  const [message, steps] = await Promise.all([store.messages.find(id), store.messages.steps(id)])
  // What it may not read is not there.
  if (message === undefined || !(await hasAccess(askingOf(caller, store), READ_MESSAGE, id)))
    throw new AppError('not_found', `There is no message ${id}.`, {
      hint: 'Run `lode message list` to see all messages.',
    })
  return { message, steps, waits: await services.whyWaiting(message) }
})

export const withdrawMessage = handle(messages.withdraw, async ({ caller, params }, { services }) => ({
  message: await services.messages.withdraw(caller, messageId(params.id.toLowerCase())),
}))

type Reading = Pick<Call<typeof messages.at>, 'caller' | 'params' | 'query' | 'request' | 'headers'>

async function readAddress({ caller, params, query, request, headers }: Reading, context: Context) {
  const at = await readableAddress(params.id, caller, context)
  if ((request.headers.get('accept') ?? '').includes('text/event-stream')) {
    const stream = follow(caller, at, lastEventId(request), query.after ?? 0, request.signal, context)
    return new Response(stream, { headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' } })
  }
  const { after = 0, limit = DEFAULT_PAGE_LIMIT, cursor } = query
  const page = await context.store.messages.list({ to: at, after }, { limit, ...(cursor !== undefined && { cursor }) })
  return { messages: page.rows, nextCursor: page.nextCursor }
}

export const addressMessages = handle(messages.at, readAddress)
export const sessionMessages = handle(sessions.messages, readAddress)

function follow(
  caller: Caller,
  at: Address,
  last: number | undefined,
  after: number,
  signal: AbortSignal,
  { store, mail, limits, log, mask, seats }: Context,
): ReadableStream<Uint8Array> {
  const leave = seats.take(caller)
  const { logLookMs, heartbeatMs, stallMs } = limits
  return messageStream(store.messages, mail, {
    at,
    after: last ?? after,
    isBack: last !== undefined,
    checkIntervalMs: Math.min(logLookMs, heartbeatMs),
    heartbeatMs,
    stallMs,
    mask,
    signal,
    onEnd(why, error) {
      leave()
      const fields = { why, address: at }
      if (why === 'left' || why === 'done') log.debug('a follower of an address disconnected', fields)
      else log.warn('a follower of an address was disconnected', error === undefined ? fields : { ...fields, error })
    },
  })
}

export const takeAtAddress = handle(messages.take, async ({ caller, params, body, request }, context) => {
  const at = await readableAddress(params.id, caller, context)
  return await takeMessages(caller, at, body, request.signal, context)
})

export const offerAtAddress = handle(messages.offer, async ({ caller, params, body, request }, context) => {
  const at = await context.store.messages.addressOf(params.id)
  const { transcript = null, size = 0, onlyWaking = false, ...rest } = body
  return await context.services.offerMail(caller, at, { ...rest, transcript, size, onlyWaking }, request.signal)
})

type Acknowledging = Pick<Call<typeof messages.acknowledge>, 'caller' | 'params' | 'body'>

async function acknowledge({ caller, params, body }: Acknowledging, context: Context) {
  const at = await readableAddress(params.id, caller, context)
  const ids = body.ids.map((id) => messageId(id.toLowerCase()))
  return { messages: await context.services.messages.acknowledge(caller, at, ids) }
}

export const acknowledgeAtAddress = handle(messages.acknowledge, acknowledge)
export const acknowledgeInSession = handle(sessions.acknowledge, acknowledge)
