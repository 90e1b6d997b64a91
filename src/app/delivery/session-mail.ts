/**
 * What a hook gives a conversation of the messages at its address: read from the embedded database directly, or asked of this machine's
 * server where the record is on PostgreSQL. Loads no zod and no Kysely.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, address, type MessageId, messageId, type SessionId } from '../../domain/ids'
import { type Offer, offerable, type WaitingMail, type WaitingMessage } from '../../domain/message/message-offer'
import { type MessagesText, messagesText } from '../../domain/message/message-text'
import { isWaking } from '../../domain/message/route-choice'
import { openRecallReader } from '../../store/recall/recall-reader'
import { isOnPostgres, localServer } from '../hooks/local-record'
import { type KnownOffer, messageOffers } from './message-offers'

/** Characters of one hook's messages. */
export const MAIL_ROOM = 4_000

export interface SessionMailCall {
  /** Lodeline's folder. */
  home: string
  session: SessionId
  /** `<pid>@<start>` of the CLI. */
  cli: string
  route: 'hook' | 'rewake'
  /** The receiver's file, as the CLI names it. */
  transcript: string | null
  env: Readonly<Record<string, string | undefined>>
  timeoutMs: number
  /** Gives nothing unless one of them is worth a turn. */
  onlyWaking: boolean
}

/** Takes what waits at the session's address for this process to give; '' = nothing. @throws what the database throws */
export async function takeMail(call: SessionMailCall): Promise<string> {
  const { home, route, cli, onlyWaking, transcript } = call
  const mail = await readMail(call)
  if (mail === null || mail.messages.length === 0) return ''
  const offers = messageOffers(home)
  const newest = offers.at(mail.at)
  const free = offerable(mail, (id) => newest.get(id))
  if (onlyWaking && !free.some(isWaking)) return ''
  const size = sizeOf(transcript)
  const fit = messagesText(free, MAIL_ROOM).shown.length
  const taken = claim(free.slice(0, fit), (message) => {
    const offer: Offer = { route, by: cli, at: mail.at, message, transcript, size }
    return offers.take(offer, numberAfter(newest.get(message)))
  })
  return textOf(taken, free.length - taken.length + (mail.hasMore ? 1 : 0)).text
}

/** In their order, up to the first that somebody else gives: what comes after it has to wait for it. */
function claim(messages: readonly WaitingMessage[], take: (message: MessageId) => boolean): WaitingMessage[] {
  const taken: WaitingMessage[] = []
  for (const message of messages) {
    if (!take(message.id)) break
    taken.push(message)
  }
  return taken
}

const numberAfter = (offer: KnownOffer | undefined): number => (offer?.number ?? 0) + 1

const textOf = (messages: readonly WaitingMessage[], more: number): MessagesText =>
  messagesText(messages, MAIL_ROOM, more)

/** Whether something waits that may be offered now; for who waits for it. */
export async function hasWakingMail(call: SessionMailCall): Promise<boolean> {
  const mail = await readMail(call)
  if (mail === null || mail.messages.length === 0) return false
  const newest = messageOffers(call.home).at(mail.at)
  return offerable(mail, (id) => newest.get(id)).some(isWaking)
}

function sizeOf(path: string | null): number {
  if (path === null) return 0
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

async function readMail(call: SessionMailCall): Promise<WaitingMail | null> {
  const { home, env, session } = call
  if (isOnPostgres(home, env)) return await askServer(call)
  const path = join(home, 'lodeline.db')
  if (!existsSync(path)) return null
  const reader = openRecallReader(path)
  try {
    return await reader.mail(session, Date.now())
  } finally {
    reader.close()
  }
}

const MAX_MESSAGES = 50

async function askServer({ home, session, timeoutMs }: SessionMailCall): Promise<WaitingMail | null> {
  const server = timeoutMs > 0 ? await localServer(home, timeoutMs) : null
  if (server === null) return null
  const query = new URLSearchParams({ to: session, limit: String(MAX_MESSAGES), status: 'produced,queued' })
  const response = await fetch(new URL(`/api/messages?${query}`, server.url), {
    headers: { authorization: `Bearer ${server.token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) return null
  const { messages, nextCursor } = (await response.json()) as Answer
  const [first] = messages
  if (first === undefined) return null
  return {
    at: address(first.to),
    // The server is ours, and its token this machine's.
    messages: messages.map((one) => ({ ...one, id: messageId(one.id) })),
    isAwaited: false,
    hasMore: nextCursor !== null,
  }
}

interface Answer {
  messages: (WaitingMessage & { to: Address })[]
  nextCursor: string | null
}
