import * as z from 'zod/mini'
import { AppError } from '../../../../domain/errors'
import { type InboxId, inboxId } from '../../../../domain/ids'
import { INBOX_LIMITS, type InboxFilter, type InboxMessage } from '../../../../domain/inbox'
import { checkSigned } from '../../../../engine/inbox/signature'
import { describeIssues } from '../../../contract/describe-issues'
import * as fields from '../../../contract/fields'
import { inbox } from '../../../contract/operations/inbox'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import type { Context } from '../../context'
import { filterTaskId, settle } from '../../find/find-task'
import { handle } from '../../handler'
import { idempotencyKey } from '../../request/idempotency-key'
import { parseJsonBytes, readJsonBytes } from '../../request/read-body'

export const receiveInbox = handle(inbox.receive, async ({ request }, context) => {
  const { source, signed, body } = await readSigned(request, context)
  return await context.services.inbox.receive(source, checked(inbox.receive.ownBody(fields), body), signed)
})

export const fetchInboxReplies = handle(inbox.fetchReplies, async ({ request }, context) => {
  const { source, body } = await readSigned(request, context)
  const { ack = [], limit = 50 } = checked(inbox.fetchReplies.ownBody(fields), body)
  return { replies: await context.services.inbox.fetchReplies(source, ack, limit) }
})

/** @throws `unauthorized` before anything of the body is understood · `too_large` · `invalid` */
async function readSigned(
  request: Request,
  { store, limits, now }: Context,
): Promise<{ source: string; signed: string; body: unknown }> {
  const maxBytes = Math.min(limits.bodyBytes, INBOX_LIMITS.bodyBytes)
  const bytes = await readJsonBytes(request, { maxBytes, timeoutMs: limits.bodyTimeoutMs })
  const source = request.headers.get('lodeline-source') ?? ''
  const known = source.length > 0 && source.length <= 100 ? await store.inbox.source(source) : undefined
  const { pathname: path, search } = new URL(request.url)
  const signed = checkSigned(
    known?.secret,
    {
      source,
      path: `${path}${search}`,
      timestamp: request.headers.get('lodeline-timestamp'),
      signature: request.headers.get('lodeline-signature'),
      body: bytes,
    },
    now(),
  )
  return { source, signed, body: parseJsonBytes(bytes) }
}

function checked<Schema extends z.core.$ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = z.safeParse(schema, body, { reportInput: true })
  if (result.success) return result.data
  throw describeIssues(result.error.issues, 'body')
}

export const listInbox = handle(inbox.list, async ({ query }, context) => {
  await settle(context)
  const { limit = DEFAULT_PAGE_LIMIT, cursor, status, source, threadKey, taskId } = query
  const filter: InboxFilter = {
    ...(status !== undefined && { statuses: status }),
    ...(source !== undefined && { source }),
    ...(threadKey !== undefined && { threadKey }),
    ...(taskId !== undefined && { taskId: await filterTaskId(taskId, context) }),
  }
  const page = await context.store.inbox.list(filter, { limit, ...(cursor !== undefined && { cursor }) })
  return { messages: page.rows, nextCursor: page.nextCursor }
})

export const showInbox = handle(inbox.get, async ({ params }, context) => {
  await settle(context)
  return { message: await found(inboxId(params.id), context) }
})

async function found(id: InboxId, { store }: Context): Promise<InboxMessage> {
  const message = await store.inbox.find(id)
  if (message === undefined)
    throw new AppError('not_found', `There is no inbox message ${JSON.stringify(id.slice(0, 100))}.`, {
      hint: 'Run `lode inbox list` to see all inbox messages.',
    })
  return message
}

export const delegateInbox = handle(inbox.delegate, async ({ caller, params, body, request }, context) => {
  const id = inboxId(params.id)
  const made = await context.services.inbox.delegate(caller, id, body, idempotencyKey(request))
  return { message: await found(id, context), ...made }
})

export const replyInbox = handle(inbox.reply, async ({ caller, params, body, request }, context) => {
  const id = inboxId(params.id)
  const { replyId } = await context.services.inbox.reply(caller, id, body, idempotencyKey(request))
  return { message: await found(id, context), replyId }
})

export const closeInbox = handle(inbox.close, async ({ caller, params }, context) => {
  const id = inboxId(params.id)
  await context.services.inbox.close(caller, id)
  return { message: await found(id, context) }
})

export const listSources = handle(inbox.sources, async (_call, { store }) => ({
  sources: await store.inbox.sources(),
}))

export const putSource = handle(
  inbox.putSource,
  async ({ caller, params, body }, { services }) =>
    await services.inbox.putSource(caller, { name: params.name, ...body }),
)

export const removeSource = handle(inbox.removeSource, async ({ caller, params, headers }, { services }) => {
  await services.inbox.removeSource(caller, params.name)
  return new Response(null, { status: 204, headers })
})
