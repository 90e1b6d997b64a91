import { ensureToken, replaceToken } from '../../api/client/token-file'
import { type OperatorToken, operatorToken } from '../../api/server/callers/operator-token'

/** The installation's own token, as a running server has it. */
export interface OwnToken extends OperatorToken {
  current(): string
  /** Another one from now on, in the same file. @returns the file */
  rotate(): Promise<string>
}

/** @param renewed  told of each new token, at once */
export async function openOwnToken(home: string, renewed: (token: string) => void): Promise<OwnToken> {
  let current = await ensureToken(home)
  let token = operatorToken(current)
  return {
    current: () => current,
    verify: (presented) => token.verify(presented),
    prove: (nonce, host) => token.prove(nonce, host),
    async rotate() {
      const path = await replaceToken(home)
      current = await ensureToken(home)
      token = operatorToken(current)
      renewed(current)
      return path
    },
  }
}
