import { DAY_MS } from '../../../domain/time-units'
import { schemeOf } from './as-reached'

/** How long a browser stays logged in. */
export const COOKIE_MS = 30 * DAY_MS

/** A browser may send several cookies with this name; other servers on this host may have set all but one. */
const MAX_TRIED = 8

/** Cookies know no ports: two servers on one machine need two names. The guard has seen that the host is ours. */
export function cookieName(request: Request): string {
  const [host, scheme] = [request.headers.get('host') ?? '', schemeOf(request)]
  return `lodeline_${/:(\d+)$/.exec(host)?.[1] ?? (scheme === 'https' ? '443' : '80')}`
}

/**
 * The name of the cookie of a login. By HTTPS nobody but this very host can set one of such a name: a server at another name of the same
 * domain, which may be another team's, could else set one for both.
 */
const loginName = (request: Request): string =>
  schemeOf(request) === 'https' ? `__Host-${cookieName(request)}` : cookieName(request)

/** The values that a request carries under a name. */
export function cookieValues(request: Request, name: string): string[] {
  const header = request.headers.get('cookie') ?? ''
  return header
    .split(';', 200)
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .slice(0, MAX_TRIED)
    .map((pair) => pair.slice(name.length + 1))
}

/** What a browser keeps of a login. */
const LOGIN = /^lub_[\w-]{43}$/

/** The values by which a browser may be logged in; each has to be looked up. */
export const loginCookies = (request: Request): string[] =>
  cookieValues(request, loginName(request)).filter((value) => LOGIN.test(value))

/** The header that gives a browser a cookie, or takes it back: no script reads it, and no page of another site makes it be sent. */
export function setCookie(request: Request, value: string | null): string {
  const age = value === null ? 0 : COOKIE_MS / 1_000
  // Browsers take a name with `__Host-` for the whole host alone.
  const [path, secure] = schemeOf(request) === 'https' ? ['/', '; Secure'] : ['/api', '']
  return `${loginName(request)}=${value ?? ''}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
}
