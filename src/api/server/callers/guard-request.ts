import { AppError } from '../../../domain/errors'
import type { Access } from '../deps'
import { schemeOf } from './as-reached'

/**
 * Refuses a request that was not meant for us, before anything else looks at it. Three of the field's incidents were a loopback server
 * that trusted every caller that reached it: a page whose name is re-bound to 127.0.0.1 is same-origin with us and needs no Origin header, so
 * only the exact Host tells it apart.
 *
 * @throws `forbidden`
 */
export function guardHost(request: Request, access: Access): void {
  if (access.kind === 'in_process') return
  const hosts = access.hosts()
  const host = request.headers.get('host')
  if (host !== null && hosts.has(host)) return
  throw new AppError(
    'forbidden',
    host === null ? 'The request has no host.' : 'The request has the host name of another server.',
    {
      hint: `Address the server as ${[...hosts][0] ?? 'the name that it listens on'}.`,
    },
  )
}

/**
 * Refuses what a foreign web page could send. The host was guarded before.
 *
 * @throws `forbidden`
 */
export function guardSender(request: Request, access: Access): void {
  if (access.kind === 'in_process') return
  guardOrigin(request, `${schemeOf(request)}://${request.headers.get('host')}`)
}

/**
 * The same for a page, which reveals nothing of the record to its reader: a link of any site may lead to it, as it does to any
 * page. Nothing else of another site may ask for it.
 *
 * @throws `forbidden`
 */
export function guardPage(request: Request, access: Access): void {
  const { headers } = request
  const isLink = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  if (!isLink || headers.has('origin')) guardSender(request, access)
}

/**
 * Refuses what a cookie may not do: browsers send it of themselves, so a write counts only where its sender is named, and is us.
 * Everything else `guardSender` has refused already.
 *
 * @throws `forbidden`
 */
export function guardCookie(request: Request): void {
  if (isWrite(request) && !request.headers.has('origin')) throw foreignPage()
}

function guardOrigin(request: Request, own: string): void {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== own) throw foreignPage()
  const site = request.headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin') {
    // A browser names the origin of every write; one that hides it is not our page.
    if (site !== null && origin === null && isWrite(request)) throw foreignPage()
    return
  }
  // `none`: a person typed the address. That can read (without a token: the health page), never write.
  if (site !== 'none' || isWrite(request)) throw foreignPage()
}

const isWrite = (request: Request) => request.method !== 'GET' && request.method !== 'HEAD'

const foreignPage = () =>
  new AppError('forbidden', 'The request comes from a page of another site.', {
    hint: 'Use the dashboard of this server, or a client without a browser.',
  })

/** The values of the Host header under which a server on loopback may be addressed. */
export function loopbackHosts(port: number): Set<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]']
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
}
