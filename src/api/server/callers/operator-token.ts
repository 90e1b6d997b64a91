import type { Awaitable } from '../../../domain/port'
import { isSameBytes, sha256 } from '../../../util/crypto'
import { proveToken } from '../../../util/token-proof'

/** What a server does with the operator's token, which itself it shows nobody. */
export interface OperatorToken {
  /** Whether it is the token of an operator. In a time that tells nothing of where they differ, nor of the length of ours. */
  verify(presented: string): Awaitable<boolean>
  /** Shows a client that this server has the token, before the client sends it. See `util/token-proof.ts`. */
  prove(nonce: string, host: string): Promise<string>
}

export function operatorToken(token: string): OperatorToken {
  const wanted = digest(token)
  return {
    verify: (presented) => isSameBytes(digest(presented), wanted),
    prove: (nonce, host) => proveToken(token, nonce, host),
  }
}

const digest = (text: string) => sha256(text)
