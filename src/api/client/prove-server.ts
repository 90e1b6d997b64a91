import { AppError } from '../../domain/errors'
import { isTokenProof, newNonce } from '../../util/token-proof'
import { health } from '../contract/operations/server'
import { NONCE_HEADER, PROOF_HEADER } from '../contract/protocol'

/** Whether an address never leaves this machine, where every user may listen on any port that is free. */
export function isOwnMachine(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/**
 * Asks a server how it is, and has it prove that it has the token.
 *
 * @param token  `null` = there is none to be proved
 * @returns the answer, and whether it proves the token
 */
export async function askHealth(
  origin: string,
  token: string | null,
  signal: AbortSignal,
): Promise<{ response: Response; isProven: boolean }> {
  const nonce = newNonce()
  const headers: Record<string, string> = token === null ? {} : { [NONCE_HEADER]: nonce }
  const response = await fetch(`${origin}${health.path}`, { headers, redirect: 'manual', signal })
  const proof = response.headers.get(PROOF_HEADER)
  const isProven = token !== null && proof !== null && (await isTokenProof(token, nonce, new URL(origin).host, proof))
  return { response, isProven }
}

/** @throws `unavailable` something else answers there; what the connection throws */
export async function proveServer(origin: string, token: string, signal: AbortSignal): Promise<void> {
  const { response, isProven } = await askHealth(origin, token, signal)
  if (!isProven) {
    await response.body?.cancel()
    throw unproven(origin)
  }
  // Read to its end, so that the request that follows has the same connection.
  await response.arrayBuffer()
}

/** A program that can't be the server of this token was not given it. */
export const unproven = (origin: string): AppError =>
  new AppError(
    'unavailable',
    `The program at ${origin} can't prove that it is the server of this token; the token was not sent.`,
    {
      hint: "Restart the server, or set LODELINE_TOKEN to the content of the file 'token' in its Lodeline folder.",
    },
  )
