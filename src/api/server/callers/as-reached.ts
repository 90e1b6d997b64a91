import { ipVersion } from '../../../util/net/ip'
import type { Access, Front } from '../deps'

/** The scheme by which the caller asked. */
export const schemeOf = (request: Request): 'http' | 'https' => (request.url.startsWith('https:') ? 'https' : 'http')

/** Proxies that one request may have come through; what is further away is not looked at. */
const MAX_PROXIES = 20

/**
 * A request as its sender made it, where a proxy stands between: its host, its scheme and its sender's address. A proxy that is trusted
 * tells them by `X-Forwarded-*`; what another peer writes there counts for nothing. At the public address its scheme holds, whether the
 * proxy is trusted or not: the name is ours alone.
 *
 * @param remote  the peer's address; `null` = this very process
 */
export function asReached(
  request: Request,
  remote: string | null,
  access: Access,
): { request: Request; remote: string | null } {
  const front = access.kind === 'network' ? access.front : undefined
  if (front === undefined) return { request, remote }
  const { headers } = request
  const isByProxy = remote !== null && front.isProxy(remote)
  const own = headers.get('host')
  const host = (isByProxy ? (lastOf(headers, 'x-forwarded-host') ?? own) : own)?.toLowerCase() ?? null
  const told = isByProxy ? lastOf(headers, 'x-forwarded-proto')?.toLowerCase() : undefined
  const scheme = publicScheme(host, front) ?? (told === 'https' || told === 'http' ? told : schemeOf(request))
  const sender = isByProxy ? senderOf(headers, remote, front) : remote
  if (host === null || (host === own && scheme === schemeOf(request))) return { request, remote: sender }
  return { request: moved(request, scheme, host), remote: sender }
}

/** The same request at another address. A host that is none stays where it is: the guard refuses it by its header. */
function moved(request: Request, scheme: 'http' | 'https', host: string): Request {
  const { pathname, search } = new URL(request.url)
  const headers = new Headers(request.headers)
  headers.set('host', host)
  const url = URL.parse(`${scheme}://${host}${pathname}${search}`)?.href ?? request.url
  return new Request(url, { method: request.method, headers, body: request.body, signal: request.signal })
}

function publicScheme(host: string | null, { publicUrl }: Front): 'http' | 'https' | undefined {
  if (publicUrl === null || host === null) return undefined
  const { protocol, host: name, port } = new URL(publicUrl)
  const isPublic = host === name || (port === '' && host === `${name}:${protocol === 'https:' ? 443 : 80}`)
  return isPublic ? (protocol === 'https:' ? 'https' : 'http') : undefined
}

/** Each proxy adds to the right: the nearest one's word is the last. */
function lastOf(headers: Headers, name: string): string | undefined {
  const last = headers.get(name)?.split(',').at(-1)?.trim()
  return last === undefined || last === '' ? undefined : last
}

/** The first address from the right that is no proxy's: what stands left of it, its sender may have made up. */
function senderOf(headers: Headers, peer: string, front: Front): string {
  let sender = peer
  const told = (headers.get('x-forwarded-for') ?? '').split(',').slice(-MAX_PROXIES).reverse()
  for (const each of told) {
    if (!front.isProxy(sender)) return sender
    const address = addressIn(each.trim())
    if (address === null) return sender
    sender = address
  }
  return sender
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`. */
function addressIn(text: string): string | null {
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return ipVersion(address) === 0 ? null : address
}
