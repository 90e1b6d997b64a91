import { AppError } from '../../domain/errors'
import { CHANNEL_KINDS } from '../../domain/notify/channel-kind'
import { type ChannelRow, type News, NOTIFY_LIMITS, type NotificationRow } from '../../domain/notify/notify'
import { quietUntil } from '../../domain/notify/quiet-hours'
import { DAY_MS } from '../../domain/time-units'
import { isSameKey } from '../access/same-key'
import { answerQuestion } from '../tasks/questions'
import { hashOf, randomName } from '../unit/secrets'
import { TRY_MS, waitAfter } from '../unit/send-again'
import type { Unit } from '../unit/unit'
import { type NotifyUnit, noChannel, onlyOperator } from './channels'
import type { NotifyDelivery } from './notify-inputs'

/** Tries of one notification, over about an hour: what is older than that, the person has seen otherwise. */
const MAX_TRIES = 10
const FIRST_WAIT_MS = 5_000
/** What is due at once beyond this many travels as one notification. */
const MOST_AT_ONCE = 3
/** How long settled notifications are kept. A need that still stands after it may be reported again. */
const KEPT_MS = 30 * DAY_MS

/** Keeps what each channel has to report of it, once; what it reported before is passed over. */
export async function notice(unit: NotifyUnit, news: readonly News[]): Promise<void> {
  for (const channel of await unit.notify.channels())
    for (const one of news) if (isFor(channel, one)) await unit.notify.insert(rowOf(unit, channel, one))
}

/** What stood before the channel was added is no news to it. */
const isFor = ({ events, project, createdAt }: ChannelRow, news: News): boolean =>
  news.since >= createdAt && events.includes(news.event) && (project === null || project === news.project)

function rowOf(unit: Unit, channel: ChannelRow, news: News) {
  return {
    id: `n-${randomName(12, unit.random)}`,
    channel: channel.name,
    subject: news.subject,
    event: news.event,
    title: news.title.slice(0, NOTIFY_LIMITS.title),
    text: news.text.slice(0, NOTIFY_LIMITS.text),
    path: news.path,
    questionId: news.questionId,
    status: 'waiting' as const,
    tries: 0,
    nextAt: sendTime(channel, Math.max(unit.now, news.since + channel.afterMs)),
    createdAt: unit.now,
  }
}

const sendTime = ({ quiet }: ChannelRow, at: number): number => (quiet === null ? at : (quietUntil(quiet, at) ?? at))

/** A notification that says nothing but that the channel works. @returns its id */
export async function noticeTest(unit: NotifyUnit, name: string): Promise<string> {
  onlyOperator(unit)
  if ((await unit.notify.channel(name)) === undefined) throw noChannel(name)
  const id = `n-${randomName(12, unit.random)}`
  await unit.notify.insert({
    id,
    channel: name,
    subject: id,
    event: 'test',
    title: 'Lodeline reaches you here',
    text: 'This is a test of the channel. Nothing needs you.',
    path: '/',
    status: 'waiting',
    tries: 0,
    nextAt: unit.now,
    createdAt: unit.now,
  })
  return id
}

/**
 * What is due now, in as few notifications as a person can read; nobody else is given it for a while. A server that crashes while it sends
 * leaves it to the next: it may come twice.
 *
 * @param standing  subjects that still need somebody; `null` = not known. What is not among them is over
 */
export async function takeDue(
  unit: NotifyUnit,
  standing: readonly string[] | null,
  limit: number,
): Promise<NotifyDelivery[]> {
  const known = standing === null ? null : new Set(standing)
  const ready = new Map<string, NotificationRow[]>()
  for (const row of await unit.notify.due(unit.now, limit)) {
    const isOver = known !== null && row.event !== 'test' && row.event !== 'finished' && !known.has(row.subject)
    if (isOver) await unit.notify.update(row.id, { status: 'over', nextAt: null, settledAt: unit.now })
    else ready.set(row.channel, [...(ready.get(row.channel) ?? []), row])
  }
  const taken: NotifyDelivery[] = []
  for (const [name, rows] of ready) {
    const channel = await unit.notify.channel(name)
    if (channel === undefined) continue
    const later = sendTime(channel, unit.now)
    const held = later > unit.now ? rows.filter(({ event }) => event !== 'test') : []
    for (const row of held) await unit.notify.update(row.id, { nextAt: later })
    const due = rows.filter((row) => !held.includes(row))
    for (const row of due) await unit.notify.update(row.id, { tries: row.tries + 1, nextAt: unit.now + TRY_MS })
    const pushKeys = (channel.kind === 'push' ? await unit.notify.pushKeys() : undefined) ?? null
    const place = { ...placeOf(channel), pushKeys }
    if (due.length > MOST_AT_ONCE) taken.push(summaryOf(place, due))
    else for (const row of due) taken.push(await deliveryOf(unit, place, row))
  }
  return taken
}

async function deliveryOf(unit: NotifyUnit, place: Place, row: NotificationRow): Promise<NotifyDelivery> {
  const { id, event, title, text, path } = row
  let answerSecret: string | null = null
  if (row.questionId !== null && CHANNEL_KINDS[place.channel.kind].hasActions) {
    answerSecret = `${id}.${Buffer.from(unit.random(24)).toString('base64url')}`
    await unit.notify.update(id, { answerHash: hashText(answerSecret) })
  }
  return { ids: [id], ...place, event, title, text, path, answerSecret }
}

function summaryOf(place: Place, rows: readonly NotificationRow[]): NotifyDelivery {
  const lines = rows.map(({ event, title }) => `${event}: ${title}`).join('\n')
  return {
    ids: rows.map(({ id }) => id),
    ...place,
    event: rows[0]?.event ?? 'question',
    title: `${rows.length} new notifications`,
    text: lines.slice(0, NOTIFY_LIMITS.text),
    path: '/',
    answerSecret: null,
  }
}

/** Where a notification goes, and by what. */
type Place = Pick<NotifyDelivery, 'channel' | 'secret' | 'pushKeys'>

const placeOf = ({ name, kind, target, server, sender, secret }: ChannelRow) => ({
  channel: { name, kind, target, server, sender },
  secret,
})

/** @param error  `null` = the channel took it */
export async function settle(unit: NotifyUnit, ids: readonly string[], error: string | null): Promise<void> {
  for (const id of ids) {
    const row = await unit.notify.find(id)
    if (row === undefined || row.status !== 'waiting') continue
    const settledAt = unit.now
    if (error === null) {
      await unit.notify.update(id, { status: 'sent', nextAt: null, error: null, settledAt })
      continue
    }
    const isLast = row.event === 'test' || row.tries >= MAX_TRIES
    const wait = waitAfter(row.tries, FIRST_WAIT_MS)
    await unit.notify.update(id, {
      status: isLast ? 'failed' : 'waiting',
      nextAt: isLast ? null : unit.now + wait,
      error: error.slice(0, 500),
      ...(isLast && { settledAt }),
    })
  }
}

/**
 * A person pressed a button of a notification. It counts once, and only for the question that the notification was about.
 *
 * @throws `unauthorized` it is none of ours, or was pressed before · `conflict` the question was answered otherwise
 */
export async function answerByButton(unit: NotifyUnit, secret: string, behavior: 'allow' | 'deny'): Promise<void> {
  const row = await unit.notify.find(secret.split('.')[0] ?? '')
  const isRight = isSameKey(bytesOf(row?.answerHash ?? null), bytesOf(hashText(secret)))
  if (!isRight || row === undefined || row.questionId === null)
    throw new AppError('unauthorized', 'This button is not known, or was pressed before.', {
      hint: 'Answer in the dashboard or with `lode question answer`.',
    })
  await unit.notify.update(row.id, { answerHash: null })
  await answerQuestion(unit, row.questionId, { behavior, channel: row.channel })
}

const hashText = (secret: string): string => Buffer.from(hashOf(secret)).toString('base64url')
const bytesOf = (text: string | null): Uint8Array | null => (text === null ? null : new TextEncoder().encode(text))

/** Forgets what was settled long ago. @returns how many */
export const forgetOld = async (unit: NotifyUnit): Promise<number> =>
  await unit.notify.forgetSettled(unit.now - KEPT_MS)
