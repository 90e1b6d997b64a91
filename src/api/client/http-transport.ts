import { AppError } from '../../domain/errors'
import type { Transport } from './call'

export interface HttpTransportOptions {
  /** The installation's token; sent to `origin` alone. `null` sends none. */
  token: string | null
  /** Origin that the token may go to, e.g. `http://127.0.0.1:4400`. */
  origin: string
}

/** Sends requests over HTTP with the token in a header. Follows no redirect: it would carry the token elsewhere. */
export function httpTransport({ token, origin }: HttpTransportOptions): Transport {
  const { origin: own, hostname } = new URL(origin)
  if (LOOPBACK.has(hostname)) passProxyBy()
  return (request) => {
    if (new URL(request.url).origin !== own) {
      throw new AppError('invalid', `this client is for ${own}, not for ${new URL(request.url).origin}`)
    }
    if (token !== null) request.headers.set('authorization', `Bearer ${token}`)
    return fetch(request, { redirect: 'error' })
  }
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** A proxy of the person's environment knows nothing of this machine's loopback, and Bun asks it all the same. */
function passProxyBy(): void {
  if (!Object.keys(process.env).some((name) => /^(?:https?|all)_proxy$/i.test(name))) return
  const listed = (process.env.NO_PROXY ?? process.env.no_proxy ?? '').split(',')
  process.env.NO_PROXY = [...new Set([...listed, '127.0.0.1', 'localhost', '::1'])].filter(Boolean).join(',')
}
