/**
 * A token that a server has looked up before, for a request that is one unit of work (see `UnitSubject`): the statement that does a short
 * unit, or the first round trip of a long one, looks whether the token is still good, so that nobody has to ask before it. Until then the
 * caller is unproven: nothing may be committed for it, nor answered to it.
 */
export interface RememberedToken {
  readonly of: 'operator' | 'agent' | 'attempt'
  /** The owner's public id; `null` = an operator. */
  readonly id: string | null
  /** SHA-256 of it, in hex. */
  readonly hash: string
  /** The database has said so, since the request came. */
  isGood: boolean
}

/** The token has to be looked up: it is no longer as remembered, or the request turned out to be more than one unit. Nothing was done. */
export class UnprovenCaller extends Error {}

/** @throws `UnprovenCaller` before anything is done for a caller whose token nothing has proved good */
export function requireProven(token: RememberedToken | undefined): void {
  if (token !== undefined && !token.isGood)
    throw new UnprovenCaller('The token of the request has to be looked up first.')
}
