import { AppError, toAppError } from '../../domain/errors'
import type { RouteName } from '../contract/routes'
import { baseHeaders, errorAnswer, jsonAnswer } from './answers'
import type { Context } from './context'
import { answerPage, isPage } from './dashboard'
import { decoderOf } from './decode-request'
import { type AppDeps, DEFAULT_LIMITS } from './deps'
import { createFeedRing } from './feed-ring'
import { guardHost, guardPage, guardSender } from './guard-request'
import type { Call, Handler } from './handler'
import { HANDLERS } from './handlers'
import { createMessageWatch } from './message-watch'
import { parseJsonBytes, readJsonBytes } from './read-body'
import { resolveIds } from './resolve-ids'
import { createRouter, type RouteMatch } from './router'
import { createWhoCalls, type Identity } from './who-calls'
import { createWorkWatch } from './work-watch'

export interface App {
  /** Answers a request; never rejects. `remote` is the peer's address, for the log. */
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
    deps.log.error('feed could not be read', { error })
  })
  const who = createWhoCalls(deps.access, deps.store.tasks, now)
  const watch = createWorkWatch(ring, () => who.forgetAgent())
  const mail = createMessageWatch(ring)
  const fetch = (request: Request) => app.fetch(request)
  const context: Context = { ...deps, limits, now, startedAt: now(), ring, who, watch, mail, fetch }
  const headers = baseHeaders(deps.version)
  const findRoute = createRouter()

  async function answer(request: Request, matched: (match: RouteMatch) => void): Promise<Response> {
    guardHost(request, deps.access)
    const url = new URL(request.url)
    if (deps.dashboard !== undefined && isPage(request.method, url.pathname)) {
      guardPage(request, deps.access)
      return answerPage(request, url.pathname, deps.dashboard, deps.version)
    }
    guardSender(request, deps.access)
    const match = findRoute(request.method, url.pathname)
    matched(match)
    const identity = await who.identify(request, match.route.access)
    const sent = await readCall(request, url, match, context, headers, identity)
    const call = await resolveIds(match.name, sent, context)
    // The table gives each name its own handler; this is the one place that calls it by a name known only now.
    const handler = HANDLERS[match.name] as Handler<RouteName>
    const result = await handler(call, context)
    return result instanceof Response ? result : jsonAnswer(result, headers)
  }

  const app: App = {
    async fetch(request, info) {
      const began = performance.now()
      let name: RouteName | undefined
      let response: Response
      try {
        response = await answer(request, (match) => {
          name = match.name
        })
      } catch (thrown) {
        report(thrown, name)
        response = errorAnswer(thrown, headers, name === 'hooks.claudeCode')
      }
      deps.log.debug('answered', {
        route: name ?? null,
        status: response.status,
        ms: Math.round((performance.now() - began) * 10) / 10,
        ...(info?.remote !== undefined && { remote: info.remote }),
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

  /** Our own failures are logged once, here, with their cause; what the caller did wrong he is told. */
  function report(thrown: unknown, name: RouteName | undefined): void {
    const { code, message } = toAppError(thrown)
    if (code === 'internal') deps.log.error('request failed', { route: name ?? null, error: thrown })
    else if (code.startsWith('storage_') || code === 'unavailable')
      deps.log.warn('request failed', { route: name ?? null, code, message })
  }
}

/** How long waiting polls may take to leave when a server ends. */
const END_GRACE_MS = 500

async function readCall(
  request: Request,
  url: URL,
  { name, route, params }: RouteMatch,
  { limits }: Context,
  headers: Record<string, string>,
  identity: Identity,
): Promise<Call<RouteName>> {
  const decoder = decoderOf(name)
  const decoded = {
    ...identity,
    params: decoder.params(params),
    query: decoder.query(url.searchParams),
    headers,
    request,
  }
  if (!decoder.takesBody) return { ...decoded, body: undefined } as Call<RouteName>
  const maxBytes = route.takes === 'large' ? limits.largeBodyBytes : limits.bodyBytes
  const bytes = await readJsonBytes(request, { maxBytes, timeoutMs: limits.bodyTimeoutMs })
  if (bytes.length === 0)
    throw new AppError('invalid', 'the body is missing', { hint: 'send a JSON object, `{}` if nothing else' })
  return { ...decoded, body: decoder.body(parseJsonBytes(bytes)) } as Call<RouteName>
}
