import { hmacSha256, isSameBytes, randomBytes } from '../../../util/crypto'
import { schemeOf } from './as-reached'

/** How long a browser stays logged in. */
export const COOKIE_MS = 30 * 24 * 60 * 60 * 1_000

/** A browser may send several cookies with this name; other servers on this host may have set all but one. */
const MAX_TRIED = 8

const VALUE = /^(v1\.([0-9a-z]{1,11})\.([\w-]{22}))\.([\w-]{43})$/

/** Which logins were ended before their time, by the random part of their cookies. */
export interface EndedLogins {
  has(nonce: string): boolean
  /** @param until  when the cookie would have ended by itself, in milliseconds */
  add(nonce: string, until: number): void
}

/** What a browser keeps after a login: a text that says until when, signed, so that the server keeps of it only that it was ended. */
export interface Cookies {
  /** @returns the value, and when it ends, in milliseconds since the epoch */
  make(): { value: string; until: number }
  /** Whether it is one of ours and still good. */
  isGood(value: string): boolean
  /** Ends a login for good, with what is under way for it. What is none of ours is let be. */
  end(value: string): void
  /** Ends every login for good: cookies are those of this token from now on. */
  renew(token: string): void
  /** Aborts when the login is ended. */
  ending(value: string): AbortSignal
}

/** Of one process: for tests. */
const inMemory = (): EndedLogins => {
  const ended = new Set<string>()
  return { has: (nonce) => ended.has(nonce), add: (nonce) => ended.add(nonce) }
}

/**
 * Cookies that outlive a restart and end all at once when the operator's token is another: they are signed with a key that is derived
 * from it, and hold nothing of it.
 */
export function createCookies(token: string, now: () => number = Date.now, ended: EndedLogins = inMemory()): Cookies {
  let key = keyOf(token)
  const sign = (text: string): string => hmacSha256(key, text).toString('base64url')
  // One for each browser that follows something: as few as there are people.
  const endings = new Map<string, AbortController>()

  function read(value: string): { nonce: string; until: number } | null {
    const [, text, until, nonce, signature] = VALUE.exec(value) ?? []
    if (text === undefined || until === undefined || nonce === undefined || signature === undefined) return null
    if (!isSameBytes(Buffer.from(signature), Buffer.from(sign(text)))) return null
    const login = { nonce, until: Number.parseInt(until, 36) }
    return login.until > now() && !ended.has(nonce) ? login : null
  }

  function endingOf(nonce: string): AbortController {
    const known = endings.get(nonce) ?? new AbortController()
    endings.set(nonce, known)
    return known
  }

  return {
    make() {
      const until = now() + COOKIE_MS
      const text = `v1.${until.toString(36)}.${randomBytes(16).toString('base64url')}`
      return { value: `${text}.${sign(text)}`, until }
    },
    isGood: (value) => read(value) !== null,
    end(value) {
      const login = read(value)
      if (login === null) return
      endings.get(login.nonce)?.abort()
      endings.delete(login.nonce)
      ended.add(login.nonce, login.until)
    },
    renew(token) {
      key = keyOf(token)
      for (const ending of endings.values()) ending.abort()
      endings.clear()
    },
    ending(value) {
      const login = read(value)
      return login === null ? AbortSignal.abort() : endingOf(login.nonce).signal
    },
  }
}

/** A key for this alone, that tells nothing of the token: the first step of HKDF. */
const keyOf = (token: string): Buffer => hmacSha256('lodeline cookie v1', token)

/** Cookies know no ports: two servers on one machine need two names. The guard has seen that the host is ours. */
export function cookieName(request: Request): string {
  const [host, scheme] = [request.headers.get('host') ?? '', schemeOf(request)]
  return `lodeline_${/:(\d+)$/.exec(host)?.[1] ?? (scheme === 'https' ? '443' : '80')}`
}

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

/** The values by which a browser is logged in. */
export const goodCookies = (request: Request, { login }: { login?: { cookies: Cookies } }): string[] =>
  cookieValues(request, cookieName(request)).filter((value) => login?.cookies.isGood(value))

/** A person's login, which is looked up: it looks like no cookie that is signed. */
const USER_VALUE = /^lub_[\w-]{43}$/

/** The values by which a person's browser may be logged in. */
export const userCookies = (request: Request): string[] =>
  cookieValues(request, cookieName(request)).filter((value) => USER_VALUE.test(value))

/** The header that gives a browser a cookie, or takes it back: no script reads it, and no page of another site makes it be sent. */
export function setCookie(request: Request, value: string | null): string {
  const age = value === null ? 0 : COOKIE_MS / 1_000
  const secure = schemeOf(request) === 'https' ? '; Secure' : ''
  return `${cookieName(request)}=${value ?? ''}; Path=/api; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
}
