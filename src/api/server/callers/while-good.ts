import type { Operation } from '../../contract/operation'
import type { Authenticator, Identity } from './authenticate'

/** How often a stream looks whether its caller is still let in. */
const CALLER_LOOK_MS = 5_000

/**
 * The request of a stream. Its signal also ends when its token or login ends, or gets other rights: a caller without access hears nothing
 * more, and neither does a run whose attempt is over. The server that ends an access looks at once.
 */
export function whileGood(
  request: Request,
  { answer }: Pick<Operation, 'answer'>,
  identity: Identity,
  who: Authenticator,
): Request {
  const isStream = answer === 'events' || (typeof answer === 'object' && answer.is === 'lines')
  // Without either it comes from this very process.
  if (!isStream || !(request.headers.has('cookie') || request.headers.has('authorization'))) return request
  const ending = new AbortController()
  const look = () =>
    void who.isStillGood(request, identity).then((isGood) => {
      if (!isGood) ending.abort()
    })
  const looking = setInterval(look, CALLER_LOOK_MS)
  looking.unref()
  const deafen = who.onChange(look)
  const signal = AbortSignal.any([request.signal, ending.signal])
  const stop = () => {
    clearInterval(looking)
    deafen()
  }
  signal.addEventListener('abort', stop, { once: true })
  return new Request(request, { signal })
}
