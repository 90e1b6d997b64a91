import { AppError, toAppError } from '../../domain/errors'
import { secretMask } from '../../domain/secrets/mask'
import type { Operation } from '../contract/operation'
import { allOperations } from '../contract/operations'
import { hooks } from '../contract/operations/server'
import { baseHeaders, errorAnswer, jsonAnswer } from './answers'
import { asReached } from './callers/as-reached'
import { createAuthenticator, type Identity } from './callers/authenticate'
import { authorize } from './callers/authorize'
import { noteUse } from './callers/given-tokens'
import { guardHost, guardPage, guardSender } from './callers/guard-request'
import { keepEncrypted } from './callers/keep-encrypted'
import { whenProven } from './callers/remembered-callers'
import { whileGood } from './callers/while-good'
import { createWrongCodes } from './callers/wrong-codes'
import type { Context } from './context'
import { answerPage, isPage } from './dashboard'
import { type AppDeps, DEFAULT_LIMITS } from './deps'
import { resolveIds } from './find/resolve-ids'
import type { Call } from './handler'
import { handlerOf } from './handlers'
import { hideSecrets, keepsSecrets } from './hide-secrets'
import { RequestTimes } from './metrics/request-times'
import { decoderOf } from './request/decode-request'
import { parseJsonBytes, readJsonBytes } from './request/read-body'
import { createRouter, type RouteMatch } from './router'
import { createFeedRing } from './streams/feed-ring'
import { createMessageWatch } from './streams/message-watch'
import { createSeats } from './streams/seats'
import { createWorkWatch } from './streams/work-watch'

export interface App {
  /** Answers a request; never rejects. `remote` is the peer's address. */
  fetch(request: Request, info?: { remote?: string }): Promise<Response>
  /** Followers of the feed that are connected now. */
  followerCount(): number
  /** Polls and calls for messages that wait now. */
  waiterCount(): number
  /**
   * Ends every follower's stream and answers waiting polls, as a part of shutting down. They may come back, to another server.
   * Resolves when the answers are on their way: only then close the connections.
   */
  endFollowers(): Promise<void>
}

/** Makes the API over a store. Starts nothing: no timer, no listener, no subscription until a follower of the feed comes. */
export function createApp(deps: AppDeps): App {
  const now = deps.now ?? Date.now
  const limits = { ...DEFAULT_LIMITS, ...deps.limits }
  const ring = createFeedRing(deps.store.feed, limits.ringEntries, (error) => {
    deps.log.error('the feed could not be read', { error })
  })
  const who = createAuthenticator(deps.access, deps.store, now, deps.provesTokens)
  const watch = createWorkWatch(ring)
  const mail = createMessageWatch(ring)
  const fetch: Context['fetch'] = (request, info) => app.fetch(request, info)
  const wrongCodes = createWrongCodes(now)
  const seats = createSeats(limits)
  const times = new RequestTimes()
  const mask = secretMask(deps.secrets)
  const context: Context = {
    ...deps,
    limits,
    mask,
    now,
    times,
    startedAt: now(),
    ring,
    who,
    watch,
    mail,
    wrongCodes,
    seats,
    fetch,
  }
  const headers = baseHeaders(deps.version)
  const findRoute = createRouter()

  async function answer(
    request: Request,
    remote: string | null,
    matched: (match: RouteMatch) => void,
  ): Promise<Response> {
    guardHost(request, deps.access)
    const url = new URL(request.url)
    if (deps.dashboard !== undefined && isPage(request.method, url.pathname)) {
      guardPage(request, deps.access)
      return answerPage(request, url.pathname, deps.dashboard, deps.version)
    }
    if (LINKED.has(url.pathname)) guardPage(request, deps.access)
    else guardSender(request, deps.access)
    const match = findRoute(request.method, url.pathname)
    matched(match)
    const { operation } = match
    const decoded = decodeOnce(url, match, context)
    async function handled(known: Identity): Promise<{ call: Call; result: unknown }> {
      const seen = whileGood(request, operation, known, who)
      const caller = { ...known.caller, peer: remote ?? undefined, tokenId: known.given?.id }
      const sent = { ...known, caller, remote, ...(await decoded(seen)), headers, request: seen } as Call
      const call = await resolveIds(operation, sent, context)
      await authorize(operation, call, deps.store)
      const handler = await handlerOf(operation)
      return { call, result: await handler(call, context) }
    }
    const done = await whenProven(who.recall(request, operation), handled)
    const { call, result } = done ?? (await handled(await identified(request, operation)))
    const mask = keepsSecrets(operation, call) ? null : context.mask
    return result instanceof Response
      ? await hideSecrets(result, operation, mask)
      : jsonAnswer(result, headers, { mask })
  }

  async function identified(request: Request, operation: Operation): Promise<Identity> {
    const known = await who.identify(request, operation)
    noteUse(known.given, deps.services, now())
    return known
  }

  const app: App = {
    async fetch(arrived, info) {
      const began = performance.now()
      const { request, remote } = asReached(arrived, info?.remote ?? null, deps.access)
      let operation: Operation | undefined
      let response: Response
      try {
        response = await answer(request, remote, (match) => {
          operation = match.operation
        })
      } catch (thrown) {
        report(thrown, operation)
        response = errorAnswer(thrown, headers, { isSilent: operation === hooks.claudeCode, mask: context.mask })
      }
      keepEncrypted(request, response, deps.access)
      const ms = performance.now() - began
      if (operation !== undefined) times.note(operation, response.status, ms)
      deps.log.debug('answered', {
        operation: operation?.name ?? null,
        status: response.status,
        ms: Math.round(ms * 10) / 10,
        ...(remote !== null && { remote }),
      })
      return response
    },
    followerCount: ring.followerCount,
    waiterCount: () => watch.waiterCount() + mail.waiterCount(),
    async endFollowers() {
      ring.endAll()
      await Promise.all([watch.endAll(END_GRACE_MS), mail.endAll(END_GRACE_MS)])
      // The answers are written in the turn after their handlers'.
      await new Promise((resolve) => setTimeout(resolve, 1))
    },
  }
  return app

  /** Our own failures are logged once, here, with their cause. The caller hears of its own mistakes. */
  function report(thrown: unknown, operation: Operation | undefined): void {
    const { code, message } = toAppError(thrown)
    if (code === 'internal') deps.log.error('request failed', { operation: operation?.name ?? null, error: thrown })
    else if (code.startsWith('storage_') || code === 'unavailable')
      deps.log.warn('request failed', { operation: operation?.name ?? null, code, message })
  }
}

/** Where another site's page may lead a browser. */
const LINKED: ReadonlySet<string> = new Set(allOperations.flatMap(({ isLinked, path }) => (isLinked ? [path] : [])))

/** How long waiting polls may take to leave when a server ends. */
const END_GRACE_MS = 500

type Decoded = Pick<Call, 'params' | 'query' | 'body'>

/** Decodes a request when first asked to: a body can be read but once. */
function decodeOnce(url: URL, match: RouteMatch, context: Context): (request: Request) => Promise<Decoded> {
  let decoded: Promise<Decoded> | undefined
  return (request) => {
    decoded ??= decode(request, url, match, context)
    return decoded
  }
}

async function decode(
  request: Request,
  url: URL,
  { operation, params }: RouteMatch,
  { limits }: Context,
): Promise<Decoded> {
  const decoder = decoderOf(operation)
  const decoded = { params: decoder.params(params), query: decoder.query(url.searchParams) }
  if (!decoder.takesBody) return { ...decoded, body: undefined } as Decoded
  const maxBytes = operation.takes === 'large' ? limits.largeBodyBytes : limits.bodyBytes
  const bytes = await readJsonBytes(request, { maxBytes, timeoutMs: limits.bodyTimeoutMs })
  if (bytes.length === 0)
    throw new AppError('invalid', 'The body is missing.', {
      hint: 'Send a JSON object, or `{}` if there are no fields.',
    })
  return { ...decoded, body: decoder.body(parseJsonBytes(bytes)) } as Decoded
}
