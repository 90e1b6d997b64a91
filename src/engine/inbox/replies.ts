import { AppError } from '../../domain/errors'
import type { InboxRow, ReplyRow } from '../../domain/inbox'
import { INBOX_LIMITS } from '../../domain/inbox'
import { checkText } from '../tasks/check-fields'
import { randomName } from '../unit/secrets'
import { TRY_MS, waitAfter } from '../unit/send-again'
import { nameOf } from '../unit/unit'
import type { ReplyDelivery, ReplyToSource } from './inbox-inputs'
import { type InboxUnit, moveInbox } from './inbox-unit'

/** Tries of a callback, over about 3 hours. */
const MAX_TRIES = 24
const FIRST_WAIT_MS = 2_000

export async function addReply(unit: InboxUnit, row: InboxRow, text: string): Promise<string> {
  if (text.trim() === '') throw new AppError('invalid', 'The reply has no text.', { details: { field: 'text' } })
  checkText('text', text, INBOX_LIMITS.reply)
  if ((await unit.inbox.countReplies(row.key)) >= INBOX_LIMITS.replies)
    throw new AppError(
      'too_large',
      `Inbox message ${row.id} already has ${INBOX_LIMITS.replies} replies, the maximum.`,
      {
        details: { limit: INBOX_LIMITS.replies, unit: 'replies' },
      },
    )
  const source = await unit.inbox.source(row.source)
  const id = `r-${randomName(12, unit.random)}`
  await moveInbox(unit, row, 'reply')
  await unit.inbox.insertReply({
    id,
    inboxKey: row.key,
    source: row.source,
    author: nameOf(unit.caller),
    text,
    status: 'waiting',
    tries: 0,
    nextAt: source?.callback == null ? null : unit.now,
    createdAt: unit.now,
  })
  return id
}

export async function fetchReplies(
  unit: InboxUnit,
  source: string,
  ack: readonly string[],
  limit: number,
): Promise<ReplyToSource[]> {
  for (const id of ack) {
    const row = await unit.inbox.reply(id)
    // What is another's is not there. What was fetched before is no error.
    if (row === undefined || row.source !== source)
      throw new AppError('not_found', `There is no reply ${id.slice(0, 50)}.`, { hint: 'Nothing was acknowledged.' })
    if (row.status === 'waiting') await unit.inbox.updateReply(id, { status: 'sent', nextAt: null, error: null })
  }
  const found: ReplyToSource[] = []
  for (const row of await unit.inbox.waitingReplies(source, limit)) found.push(await toSource(unit, row))
  return found
}

async function toSource(unit: InboxUnit, row: ReplyRow): Promise<ReplyToSource> {
  const message = await unit.inbox.byKey(row.inboxKey)
  if (message === undefined) throw new Error(`Reply ${row.id} has no request.`)
  return {
    id: row.id,
    inboxId: message.id,
    externalId: message.externalId,
    threadKey: message.threadKey,
    text: row.text,
    createdAt: new Date(row.createdAt).toISOString(),
  }
}

/** A server that crashes while it sends leaves its replies to the next: they may come twice, under one id. */
export async function takeReplies(unit: InboxUnit, limit: number): Promise<ReplyDelivery[]> {
  const taken: ReplyDelivery[] = []
  for (const row of await unit.inbox.dueReplies(unit.now, limit)) {
    const source = await unit.inbox.source(row.source)
    if (source === undefined || source.callback === null) {
      await unit.inbox.updateReply(row.id, { nextAt: null })
      continue
    }
    await unit.inbox.updateReply(row.id, { tries: row.tries + 1, nextAt: unit.now + TRY_MS })
    const body = JSON.stringify({ type: 'inbox.reply', source: row.source, reply: await toSource(unit, row) })
    taken.push({ replyId: row.id, source: source.name, url: source.callback, secret: source.secret, body })
  }
  return taken
}

export async function settleReply(unit: InboxUnit, id: string, error: string | null): Promise<void> {
  const row = await unit.inbox.reply(id)
  if (row === undefined || row.status !== 'waiting') return
  if (error === null) return await unit.inbox.updateReply(id, { status: 'sent', nextAt: null, error: null })
  const isLast = row.tries >= MAX_TRIES
  const wait = waitAfter(row.tries, FIRST_WAIT_MS)
  await unit.inbox.updateReply(id, {
    status: isLast ? 'failed' : 'waiting',
    nextAt: isLast ? null : unit.now + wait,
    error: error.slice(0, 500),
  })
}
