import { AppError } from '../../domain/errors'
import { type Address, inboxId } from '../../domain/ids'
import { INBOX_LIMITS, type InboxRow } from '../../domain/inbox'
import { HOUR_MS } from '../../domain/time-units'
import { cut, inline } from '../../util/quote'
import { addMessage } from '../mail/move-message'
import { checkText } from '../tasks/check-fields'
import { AWAY_AFTER_MS } from '../unit/agent-presence'
import { quoted } from '../unit/find-task'
import { randomName } from '../unit/secrets'
import type { Received } from './inbox-inputs'
import { type InboxUnit, publishInbox } from './inbox-unit'

/** A lead that was not heard of for this long is not told of what comes in: it waits for one that is there. */
const LEAD_GONE_MS = HOUR_MS
/** Characters of a request that its lead gets at once. */
const TOLD = 2_000
/** Requests that one unit announces. */
const REQUESTS_PER_UNIT = 100

/** @throws `invalid` `too_large` */
export function checkReceived(input: Received): Received {
  if (input.text.trim() === '') throw new AppError('invalid', 'The text is empty.', { details: { field: 'text' } })
  checkText('text', input.text, INBOX_LIMITS.text)
  if (input.sender.trim() === '')
    throw new AppError('invalid', 'The sender is empty.', { details: { field: 'sender' } })
  checkText('sender', input.sender, INBOX_LIMITS.sender)
  for (const field of ['externalId', 'threadKey'] as const) {
    const key = input[field]
    if (key === undefined) continue
    checkText(field, key, INBOX_LIMITS.key)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (key === '' || /[\u0000-\u001f\u007f]/.test(key))
      throw new AppError('invalid', `${field} can't be ${quoted(key)}.`, { details: { field } })
  }
  return input
}

/** Keeps a request once, and tells the lead in the same unit. */
export async function receive(
  unit: InboxUnit,
  source: string,
  input: Received,
  signed: string,
): Promise<{ id: InboxRow['id']; isRepeat: boolean }> {
  if ((await unit.inbox.source(source)) === undefined)
    throw new AppError('unauthorized', 'The request is not signed by a known source.')
  const onceKey = input.externalId === undefined ? `signed ${signed}` : `id ${input.externalId}`
  const before = await unit.inbox.byOnceKey(source, onceKey)
  if (before !== undefined) return repeated(before, input)
  if ((await unit.inbox.countNew(source)) >= INBOX_LIMITS.waiting)
    throw new AppError('too_large', `${INBOX_LIMITS.waiting} requests from ${source} are already waiting.`, {
      hint: 'Nobody is answering them. Ask a lead or an operator.',
      details: { limit: INBOX_LIMITS.waiting, unit: 'requests' },
    })
  const row = await unit.inbox.insert({
    id: inboxId(`i-${randomName(8, unit.random)}`),
    source,
    externalId: input.externalId ?? null,
    onceKey,
    threadKey: input.threadKey ?? null,
    sender: input.sender,
    status: 'new',
    receivedAt: unit.now,
    text: input.text,
  })
  if (row === undefined) {
    // Another server took the same one at this moment.
    const same = await unit.inbox.byOnceKey(source, onceKey)
    if (same === undefined) throw new Error(`A request from ${source} was neither added nor found.`)
    return repeated(same, input)
  }
  await publishInbox(unit, row, 'received')
  await notifyLead(unit, row)
  return { id: row.id, isRepeat: false }
}

function repeated(before: InboxRow, input: Received): { id: InboxRow['id']; isRepeat: boolean } {
  if (before.text === input.text.replaceAll('\0', '')) return { id: before.id, isRepeat: true }
  throw new AppError(
    'conflict',
    `externalId ${quoted(input.externalId ?? '')} was already used with a different text.`,
    {
      hint: 'Give each message its own ID, or omit externalId.',
      details: { id: before.id },
    },
  )
}

/** Notifies a lead of requests that none knows yet. */
export async function announce(unit: InboxUnit): Promise<number> {
  let notified = 0
  for (const row of await unit.inbox.untold(REQUESTS_PER_UNIT)) if (await notifyLead(unit, row)) notified++
  return notified
}

async function notifyLead(unit: InboxUnit, row: InboxRow): Promise<boolean> {
  const to = await leadFor(unit, row)
  if (to === undefined || to === row.toldTo) return false
  await addMessage(unit, {
    to,
    from: { kind: 'outside', address: null, name: `${row.sender} by ${row.source}`.slice(0, 300) },
    kind: 'message',
    cause: `inbox ${row.id}`,
    taskId: null,
    wantsReply: true,
    text: await noticeText(unit, row),
    fullAt: `lode inbox show ${row.id}`,
  })
  await unit.inbox.update(row.key, { toldTo: to })
  return true
}

/** The source's own lead, else the one that is there. Nobody there: it waits. */
async function leadFor(unit: InboxUnit, row: InboxRow): Promise<Address | undefined> {
  const own = (await unit.inbox.source(row.source))?.lead ?? null
  // A lead task that is over leads no more.
  if (own !== null && own !== row.toldTo) return own
  const thread =
    (await unit.inbox.presentLead(unit.now - AWAY_AFTER_MS)) ?? (await unit.inbox.presentLead(unit.now - LEAD_GONE_MS))
  // A task that goes on in another's conversation has that one's address.
  return thread === undefined ? undefined : await unit.messages.addressOf(thread)
}

async function noticeText(unit: InboxUnit, row: InboxRow): Promise<string> {
  const { text, left } = cut(row.text, TOLD)
  const earlier = await unit.inbox.threadTask(row)
  const follow =
    earlier === undefined
      ? ''
      : `\nIts thread was previously handled by ${earlier.taskId} ${inline(earlier.title, 100)} (${earlier.status}): inbox-delegate with parentTaskId ${earlier.taskId} continues that conversation.`
  const rest = left > 0 ? `\n(${left} more characters: get-inbox with id ${row.id})` : ''
  return `Inbox message ${row.id} from ${inline(row.sender, 100)} by ${row.source}. Answer with inbox-reply, or delegate it with inbox-delegate.${follow}\n${text}${rest}`
}
