import type { AuditDetail } from '../../../../domain/audit'
import { AppError, isAppError } from '../../../../domain/errors'
import { login } from '../../../contract/operations/access/login'
import { schemeOf } from '../../callers/as-reached'
import { cookieName, cookieValues, setCookie } from '../../callers/cookie'
import { keepPending, PENDING_MS, type Pending, readPending } from '../../callers/pending-logins'
import type { Context } from '../../context'
import type { LoginProvider, ProviderIdentity } from '../../deps'
import { handle } from '../../handler'
import { LOGIN_PATH } from './login-path'

/** A page of ours, and no other site's. */
const OWN_PAGE = /^\/(?![/\\])[^\s\\]*$/

export const loginWays = handle(login.ways, (_call, { access }) => ({
  provider: access.kind === 'network' ? (access.login?.provider?.name ?? null) : null,
}))

export const beginLogin = handle(login.begin, async ({ query, request, headers }, context) => {
  const provider = providerOf(context)
  const own = ownUrl(request)
  // The cookie of a login is of one name of the server: the browser begins where the provider sends it back to.
  if (provider.ownUrl !== null && provider.ownUrl !== own) return goTo(provider.ownUrl + LOGIN_PATH, headers)
  const to = query.to !== undefined && OWN_PAGE.test(query.to) ? query.to : '/'
  const { url, pending } = await provider.begin(own + login.comeBack.path)
  const kept = keepPending({ ...pending, to }, context.now())
  return goTo(url, { ...headers, 'set-cookie': keepCookie(request, kept) })
})

export const comeBack = handle(login.comeBack, async ({ request, remote, headers }, context) => {
  const provider = providerOf(context)
  const back = new URL(request.url)
  const forget = keepCookie(request, null)
  try {
    return await context.wrongCodes.try(remote, async () => {
      const pending = pendingOf(request, back, context)
      const identity = await provider.finish(back, pending)
      const { secret } = await context.services.users.enterBy(loginsOf(identity), remote).catch((error: unknown) => {
        throw isAppError(error) && error.code === 'forbidden' ? new Refused('unknown', identity) : error
      })
      const answer = goTo(pending.to, headers)
      answer.headers.append('set-cookie', setCookie(request, secret))
      answer.headers.append('set-cookie', forget)
      return answer
    })
  } catch (error) {
    const reason = reasonOf(error, back)
    const detail: AuditDetail = {
      by: 'provider',
      reason,
      login: error instanceof Refused ? shownLogin(error.identity) : null,
    }
    const actor = { kind: 'nobody', name: null, peer: remote }
    // Ten within a minute are looked at; what comes after them fills no log.
    if (reason !== 'busy' && reason !== 'unreachable')
      await context.services.audit.record({ act: 'login.refuse', actor, target: null, detail })
    context.log.warn('a login by the provider was refused', { reason, why: whyOf(error) })
    return goTo(`${LOGIN_PATH}#refused=${reason}`, { ...headers, 'set-cookie': forget })
  }
})

/** The provider said who it is, and that is nobody of ours. */
class Refused extends AppError {
  readonly identity: ProviderIdentity
  constructor(why: 'unknown', identity: ProviderIdentity) {
    super('unauthorized', `refused: ${why}`)
    this.identity = identity
  }
}

const shownLogin = ({ subject, email }: ProviderIdentity): string => email ?? subject

/** An address counts where the provider has verified it. A subject that looks like one is not taken for one. */
const loginsOf = ({ subject, email }: ProviderIdentity): string[] => [
  ...(subject.includes('@') ? [] : [subject]),
  ...(email === null ? [] : [email]),
]

/** Why nobody came in, as the page explains it. */
type Reason = 'unknown' | 'declined' | 'unreachable' | 'busy' | 'unproven' | 'expired'

function reasonOf(error: unknown, back: URL): Reason {
  if (error instanceof Refused) return 'unknown'
  if (error instanceof Expired) return 'expired'
  if (!isAppError(error)) throw error
  if (error.code === 'unavailable') return error.details?.isBusy === true ? 'busy' : 'unreachable'
  if (error.code !== 'unauthorized') throw error
  return back.searchParams.get('error') === 'access_denied' ? 'declined' : 'unproven'
}

/** What the library found wrong: its codes, such as `OAUTH_JWT_CLAIM_COMPARISON_FAILED`, and none of what it looked at. */
function whyOf(error: unknown): string | null {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : null
}

/** This browser began no login, or has come back already, or too late. */
class Expired extends AppError {
  constructor() {
    super('unauthorized', 'No login of this browser is under way.')
  }
}

function pendingOf(request: Request, back: URL, { now }: Context): Pending {
  for (const kept of cookieValues(request, keepName(request))) {
    const pending = readPending(kept, now())
    if (pending === undefined || pending.state !== back.searchParams.get('state')) continue
    // Where it leads was the browser's to keep.
    return {
      ...pending,
      to: OWN_PAGE.test(pending.to) ? pending.to : '/',
      redirectUri: ownUrl(request) + login.comeBack.path,
    }
  }
  throw new Expired()
}

function providerOf({ access }: Context): LoginProvider {
  if (access.kind === 'network' && access.login?.provider !== undefined) return access.login.provider
  throw new AppError('not_found', 'This server has no OpenID provider.', {
    hint: "Log in by a link: an admin makes it with 'lode user code NAME'.",
  })
}

/** The guard has seen that the host is ours. */
const ownUrl = (request: Request): string => `${schemeOf(request)}://${request.headers.get('host')}`

const keepName = (request: Request): string => `${cookieName(request)}_provider`

/** Sent where a link of the provider leads, and to that path alone. */
function keepCookie(request: Request, value: string | null): string {
  const age = value === null ? 0 : PENDING_MS / 1_000
  const secure = schemeOf(request) === 'https' ? '; Secure' : ''
  const path = login.comeBack.path
  return `${keepName(request)}=${value ?? ''}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}

const goTo = (url: string, headers: Record<string, string>): Response =>
  new Response(null, { status: 303, headers: { ...headers, location: url } })
