import type { Access } from '../deps'
import { schemeOf } from './as-reached'

/** A browser asks by HTTPS alone for this long after each answer, in seconds: 30 days, as long as a login. */
const ENCRYPTED_S = 30 * 86_400

/**
 * Where this server encrypts, has browsers never ask it in the clear again. Not as `localhost`, whose name all servers of a machine share:
 * a browser would ask the others by HTTPS, too.
 */
export function keepEncrypted(request: Request, response: Response, access: Access): void {
  if (access.kind !== 'network' || schemeOf(request) !== 'https') return
  const name = (request.headers.get('host') ?? '').replace(/:\d+$/, '')
  if (name !== '' && name !== 'localhost') response.headers.set('strict-transport-security', `max-age=${ENCRYPTED_S}`)
}
