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
  const own = new URL(origin).origin
  return (request) => {
    if (new URL(request.url).origin !== own) {
      throw new AppError('invalid', `This client is for ${own}, not for ${new URL(request.url).origin}.`)
    }
    if (token !== null) request.headers.set('authorization', `Bearer ${token}`)
    return fetch(request, { redirect: 'error' })
  }
}
