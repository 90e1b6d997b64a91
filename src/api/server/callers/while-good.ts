import type { Operation } from '../../contract/operation'
import type { Authenticator, Identity } from './authenticate'

/** How often a stream looks whether its caller is still let in. */
const CALLER_LOOK_MS = 5_000

/**
 * The request of a stream, whose signal also ends when the token that it came with does: who was revoked hears nothing more, nor does a
 * run whose attempt is over.
 * Cookies have signals of their own (`Cookies.ending`).
 */
export function whileGood(
  request: Request,
  { answer }: Pick<Operation, 'answer'>,
  { caller, given }: Identity,
  who: Authenticator,
): Request {
  const isStream = answer === 'events' || (typeof answer === 'object' && answer.is === 'lines')
  // The server's own token ends with the server.
  if (!isStream || (caller.kind === 'operator' && given === null)) return request
  const ending = new AbortController()
  const looking = setInterval(() => {
    void who.isStillGood(request).then((isGood) => {
      if (!isGood) ending.abort()
    })
  }, CALLER_LOOK_MS)
  looking.unref()
  const signal = AbortSignal.any([request.signal, ending.signal])
  signal.addEventListener('abort', () => clearInterval(looking), { once: true })
  return new Request(request, { signal })
}
