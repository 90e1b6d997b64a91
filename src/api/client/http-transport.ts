import { AppError } from '../../domain/errors'
import { isOperatorToken } from '../contract/token-form'
import type { Transport } from './call'
import { isOwnMachine, proveServer } from './prove-server'

export interface HttpTransportOptions {
  /** The installation's token, or one that was given out; sent to `origin` alone. `null` sends none. A function tells the one of now. */
  token: string | null | (() => string | null)
  /** Origin that the token may go to, e.g. `http://127.0.0.1:4400`. */
  origin: string
  /** The server has just proved itself. Default: no. */
  isProven?: boolean
  /**
   * Each request that may not be sent twice has a connection of its own: a server that is gone refuses it, where on one that was kept
   * nobody could tell whether it was taken. Default: no.
   */
  isCareful?: boolean
}

/** After a silence of this many milliseconds another program may have the server's port: it proves itself again. */
const PROVEN_MS = 1_000

/**
 * Sends requests over HTTP with the token in a header. Follows no redirect: it would carry the token elsewhere. On this machine, where
 * any user may have the port of a server that is gone, the operator's token is sent only to who proves that it has it.
 */
export function httpTransport({ token, origin, isProven = false, isCareful = false }: HttpTransportOptions): Transport {
  const own = new URL(origin).origin
  const isHere = isOwnMachine(own)
  let provenAt = isProven ? performance.now() : Number.NEGATIVE_INFINITY
  return async (request) => {
    if (new URL(request.url).origin !== own) {
      throw new AppError('invalid', `This client is for ${own}, not for ${new URL(request.url).origin}.`)
    }
    const presented = typeof token === 'function' ? token() : token
    if (presented !== null) {
      if (isHere && isOperatorToken(presented) && performance.now() - provenAt > PROVEN_MS)
        await proveServer(own, presented, request.signal)
      request.headers.set('authorization', `Bearer ${presented}`)
    }
    try {
      const keepalive = !isCareful || request.method === 'GET'
      const response = await fetch(request, { redirect: 'error', keepalive })
      provenAt = performance.now()
      return response
    } catch (error) {
      provenAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }
}
