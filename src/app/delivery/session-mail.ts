/**
 * The messages that a hook gives a conversation at its address. Where the record is on PostgreSQL, this machine's server is asked for them.
 * Else they are read from the embedded database, and a file names the process that gives them. Loads no zod and no Kysely.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { MessageId, SessionId } from '../../domain/ids'
import {
  type HookAsking,
  type Offer,
  offerable,
  type WaitingMail,
  type WaitingMessage,
} from '../../domain/message/message-offer'
import { type MessagesText, messagesText, type ShownMessage } from '../../domain/message/message-text'
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
  const { home, env, route, cli, onlyWaking, transcript } = call
  if (isOnPostgres(home, env)) return await askServer(call)
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

/** Whether a message waits that may be offered now, in the embedded database; for a process that waits for it. */
export async function hasWakingMail(call: Pick<SessionMailCall, 'home' | 'session'>): Promise<boolean> {
  const mail = await readMail(call)
  if (mail === null || mail.messages.length === 0) return false
  const newest = messageOffers(call.home).at(mail.at)
  return offerable(mail, (id) => newest.get(id)).some(isWaking)
}

function sizeOf(path: string | null): number {
  if (path === null) return 0
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

async function readMail({ home, session }: Pick<SessionMailCall, 'home' | 'session'>): Promise<WaitingMail | null> {
  const path = join(home, 'lodeline.db')
  if (!existsSync(path)) return null
  const reader = openRecallReader(path)
  try {
    return await reader.mail(session, Date.now())
  } finally {
    reader.close()
  }
}

/** The server gives each to one of all who ask. */
async function askServer({ home, session, timeoutMs, ...call }: SessionMailCall): Promise<string> {
  const server = timeoutMs > 0 ? await localServer(home, timeoutMs) : null
  if (server === null) return ''
  const { route, cli, transcript, onlyWaking } = call
  const asking: Omit<HookAsking, 'transcript'> & { transcript?: string } = {
    ...{ route, cli, onlyWaking, room: MAIL_ROOM, size: sizeOf(transcript) },
    ...(transcript !== null && { transcript }),
  }
  const response = await fetch(new URL(`/api/addresses/${encodeURIComponent(session)}/offer`, server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(asking),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) return ''
  // The server is ours, and its token this machine's.
  const { messages, count } = (await response.json()) as { messages: ShownMessage[]; count: number }
  return messagesText(messages, MAIL_ROOM, count).text
}
