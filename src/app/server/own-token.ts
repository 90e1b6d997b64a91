import { ensureToken, replaceToken } from '../../api/client/token-file'
import { isOperatorToken } from '../../api/contract/token-form'
import { type OperatorToken, operatorToken } from '../../api/server/callers/operator-token'
import type { TokenReads } from '../../domain/token/token-store'
import type { TokenService } from '../../engine/tokens/token-service'
import { sha256, sha256Hex } from '../../util/crypto'
import type { Logger } from '../../util/log'

/** The installation's own token, as a running server has it. */
export interface OwnToken extends OperatorToken {
  current(): string
  /** Another one from now on, in the same file; the tokens of other servers of the database end, too. @returns the file */
  rotate(): Promise<string>
  stop(): void
}

/** How soon a server sees that another one of its database ended its token. */
const TOKEN_LOOK_MS = 5_000

/**
 * Each installation makes a token of its own, whose hash all servers of a database know, so that each takes those of all.
 *
 * @param home.name  the installation's host-id
 * @param isShared   other servers may work on the database
 */
export async function openOwnToken(
  home: { folder: string; name: string; isShared: boolean },
  tokens: Pick<TokenService, 'knowOperator' | 'renewOperator'>,
  reads: Pick<TokenReads, 'isOperatorToken'>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<OwnToken> {
  let current = await ensureToken(home.folder)
  let token = operatorToken(current)

  // One after the other: a look must not see a token of which the database hears only now.
  let turn: Promise<unknown> = Promise.resolve()
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }

  async function replace(): Promise<string> {
    const path = await replaceToken(home.folder)
    current = await ensureToken(home.folder)
    token = operatorToken(current)
    return path
  }

  /** Makes the token known; one that was ended elsewhere gives way to another. */
  async function know(): Promise<void> {
    if (await reads.isOperatorToken(sha256(current))) return
    if (await tokens.knowOperator(home.name, sha256Hex(current))) return
    log.info('the token of this server was ended by another server of the database; it has a new one')
    await replace()
    await tokens.knowOperator(home.name, sha256Hex(current))
  }

  await know()
  let looking = false
  async function look(): Promise<void> {
    if (looking) return
    looking = true
    try {
      await inTurn(know)
    } catch (error) {
      log.warn('the token could not be looked up; trying again', { error })
    } finally {
      looking = false
    }
  }
  const timer = home.isShared ? setInterval(() => void look(), TOKEN_LOOK_MS) : undefined

  return {
    current: () => current,
    verify: (presented) =>
      home.isShared
        ? isOperatorToken(presented)
          ? reads.isOperatorToken(sha256(presented))
          : false
        : token.verify(presented),
    prove: (nonce, host) => token.prove(nonce, host),
    rotate: () =>
      inTurn(async () => {
        const path = await replace()
        await tokens.renewOperator(home.name, sha256Hex(current))
        return path
      }),
    stop: () => clearInterval(timer),
  }
}
