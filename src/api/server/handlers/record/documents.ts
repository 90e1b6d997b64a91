import { AppError } from '../../../../domain/errors'
import { type TokenId, tokenId } from '../../../../domain/ids'
import type { DocumentFormat } from '../../../../domain/session/document'
import type { StoredSession } from '../../../../domain/session/session-store'
import { sharedPart, tokenState } from '../../../../domain/token/token-store'
import { actorOf } from '../../../../engine/audit/record-act'
import { findStart } from '../../../../engine/conversation/read-conversation'
import type { DocumentRange } from '../../../../engine/document/collect-turns'
import type { DocumentSource } from '../../../../engine/document/session-document'
import { sha256 } from '../../../../util/crypto'
import { shares } from '../../../contract/operations/access/shares'
import { sessions } from '../../../contract/operations/sessions'
import type { Context } from '../../context'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'
import { presentSession } from '../../present-session'
import { parseStart, wholeTexts } from './conversation'

export const sessionDocument = handle(sessions.document, async ({ caller, params, query }, context) => {
  const { format, besideId, ...range } = query
  const session = await getSession(params.id, context)
  if (besideId !== undefined) {
    const other = await otherOf(besideId, range, session, context)
    const compared = await comparisonOf([session, other], null, format, context)
    await context.services.audit.record({
      ...{ act: 'session.export', actor: actorOf(caller), target: session.id },
      detail: { format, turns: compared.turns, beside: other.id },
    })
    return compared
  }
  const { from, until } = await turnsOf(range, session, context)
  const made = await documentOf(
    session,
    { from: await startOf(from, session, context), until, before: null },
    format,
    context,
  )
  const detail = { format, turns: made.turns }
  await context.services.audit.record({ act: 'session.export', actor: actorOf(caller), target: session.id, detail })
  return made
})

export const listShares = handle(shares.list, async (_call, { store, now }) => ({
  shares: await store.tokens.shares(now()),
}))

export const createShare = handle(shares.create, async ({ caller, body }, context) => {
  const { sessionId, besideId, expiresInMs, ...range } = body
  const session = await getSession(sessionId, context)
  const other = besideId === undefined ? null : await otherOf(besideId, range, session, context)
  const turns = await turnsOf(range, session, context)
  const { services, access } = context
  const { share, secret } = await services.tokens.share(caller, {
    ...{ sessionId: session.id, ...turns, expiresInMs },
    besideId: other?.id ?? null,
  })
  const url = access.kind === 'network' ? (access.publicUrl?.() ?? null) : null
  return { share, path: `${shares.open.path}?key=${secret}`, url }
})

export const revokeShare = handle(shares.revoke, async ({ caller, params }, { services }) => {
  const id = tokenId(params.id)
  await services.tokens.revokeShare(caller, id)
  return { id }
})

/** Whoever has the link is shown what it was made for, and nothing else. It is no login: no cookie or token comes of it. */
export const openShare = handle(shares.open, async ({ request, headers }, context) => {
  const { DOCUMENT_POLICY, page } = await import('../../../../engine/document/html')
  const { html } = await import('../../../../engine/document/markup')
  const answer = (status: number, text: string) =>
    new Response(text, {
      status,
      headers: {
        ...headers,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `${DOCUMENT_POLICY}; frame-ancestors 'none'; sandbox`,
        'x-frame-options': 'DENY',
        'x-robots-tag': 'noindex',
      },
    })
  const opened = await sharedSession(new URL(request.url).searchParams.get('key') ?? '', context)
  if (opened === undefined) {
    const words =
      'This link does not work any more. It has expired or was revoked. Ask whoever sent it for another one.'
    return answer(404, page('This link does not work', html`<h1>This link does not work</h1><p>${words}</p>`))
  }
  return answer(200, await sharedPage(opened, context))
})

/** A link's page is not made again within this time, in milliseconds: readers of the link may ask as often as they like. */
const SHARED_PAGE_MS = 5_000
type SharedPages = Map<string, Promise<string>>
const sharedPages = new WeakMap<Context['store'], SharedPages>()

/** The page of a link. Those who ask at the same time wait for one page. */
function sharedPage({ id, session, range, other }: SharedSession, context: Context): Promise<string> {
  const pages: SharedPages = sharedPages.get(context.store) ?? new Map()
  sharedPages.set(context.store, pages)
  const kept = pages.get(id)
  if (kept !== undefined) return kept
  const made = (
    other === null
      ? documentOf(session, range, 'html', context)
      : comparisonOf([session, other], range.before, 'html', context)
  ).then(({ text }) => text)
  const drop = () => pages.delete(id)
  pages.set(id, made)
  made.then(() => setTimeout(drop, SHARED_PAGE_MS).unref(), drop)
  return made
}

interface TurnRange {
  from?: string | undefined
  until?: string | undefined
}

interface SharedSession {
  id: TokenId
  session: StoredSession
  range: DocumentRange
  /** That it is compared with. */
  other: StoredSession | null
}

async function sharedSession(key: string, context: Context): Promise<SharedSession | undefined> {
  const { store, services, now } = context
  const row = key === '' ? undefined : await store.tokens.byToken(sha256(key))
  if (row?.purpose !== 'share' || tokenState(row, now()) !== 'active') return undefined
  const part = sharedPart(row)
  const session = part === null ? undefined : await store.sessions.find(part.sessionId)
  if (part === null || session === undefined) return undefined
  const other = part.besideId === null ? null : await store.sessions.find(part.besideId)
  if (other === undefined) return undefined
  services.tokens.noteUse(row.id).catch(() => {})
  const from = await startOf(part.from, session, context)
  return { id: row.id, session, range: { from, until: part.until, before: row.createdAt }, other }
}

/** The other session of a comparison, of which no range can be asked. */
async function otherOf(id: string, range: TurnRange, session: StoredSession, context: Context): Promise<StoredSession> {
  if (range.from !== undefined || range.until !== undefined)
    throw new AppError('invalid', 'A comparison has no range of turns.', { hint: 'Leave out `from` and `until`.' })
  const other = await getSession(id, context)
  if (other.key === session.key)
    throw new AppError('invalid', `Both are session ${session.id}.`, { hint: 'Give two sessions: one and its fork.' })
  return other
}

async function comparisonOf(
  [first, second]: readonly [StoredSession, StoredSession],
  before: number | null,
  format: DocumentFormat,
  context: Context,
) {
  const { makeComparison } = await import('../../../../engine/document/comparison')
  return await makeComparison(
    [await sourceOf(first, context), await sourceOf(second, context)],
    context.mask,
    before,
    format,
  )
}

const sourceOf = async (session: StoredSession, context: Context): Promise<DocumentSource> => ({
  reads: context.store.conversations,
  session,
  shown: await presentSession(session, context),
  whole: wholeTexts(context),
})

async function documentOf(session: StoredSession, range: DocumentRange, format: DocumentFormat, context: Context) {
  const { makeDocument } = await import('../../../../engine/document/session-document')
  return await makeDocument(await sourceOf(session, context), context.mask, range, format)
}

/** @throws `invalid` `not_found` */
async function turnsOf(
  { from, until }: TurnRange,
  session: StoredSession,
  context: Context,
): Promise<{ from: number; until: number }> {
  const { conversations } = context.store
  const last = await conversations.countTurns(session.key, null)
  const numberOf = async (place: string): Promise<number> => {
    const start = await parseStart(place, session, null, context)
    if (start.kind === 'turn') return start.number
    if (start.kind === 'start') return 0
    if (start.kind === 'end') return last
    const position = await findStart(conversations, session, null, start, 1)
    return position ? (await conversations.countTurns(session.key, null, position)) + 1 : 0
  }
  const turns = {
    from: from === undefined ? 0 : await numberOf(from),
    until: until === undefined ? last : await numberOf(until),
  }
  if (turns.from > last)
    throw new AppError('not_found', `There is no turn ${turns.from}: the conversation has ${last}.`)
  if (turns.from > turns.until)
    throw new AppError(
      'invalid',
      `The range ends before it begins: turn ${turns.until} comes before turn ${turns.from}.`,
    )
  return { ...turns, until: Math.min(turns.until, last) }
}

/** Where a turn begins; `undefined` = with the conversation. */
const startOf = async (turn: number, session: StoredSession, { store }: Context) =>
  (await findStart(store.conversations, session, null, { kind: 'turn', number: turn }, 1)) ?? undefined
