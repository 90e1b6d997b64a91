/**
 * The closed list of error codes. `src/api/contract/error-codes.ts` maps each to an HTTP status and an exit code.
 *
 * - `invalid`          the caller's input is wrong; `hint` says what would be right
 * - `not_found`        no such thing
 * - `conflict`         the state does not allow it (ambiguous id, already exists, wrong state)
 * - `unauthorized`     no token, or a wrong one
 * - `forbidden`        the token may not do this, or the request came from a foreign page
 * - `too_large`        over a limit that the message names
 * - `unavailable`      the database is locked, the server away: trying again may work
 * - `storage_full`     no space left; nothing acknowledged was lost
 * - `storage_readonly` the database can't be written
 * - `storage_corrupt`  the database file is damaged
 * - `schema_mismatch`  the database is older or newer than this binary
 * - `lease_lost`       a later attempt holds the lease; nothing was changed
 * - `internal`         anything else; the cause is logged once
 */
export const ERROR_CODES = [
  'invalid',
  'not_found',
  'conflict',
  'unauthorized',
  'forbidden',
  'too_large',
  'unavailable',
  'storage_full',
  'storage_readonly',
  'storage_corrupt',
  'schema_mismatch',
  'lease_lost',
  'internal',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

export interface ErrorOptions {
  /** The next thing to type or to change, in one sentence. */
  hint?: string
  /** Machine-readable facts about the error; JSON values only. */
  details?: Record<string, unknown>
  cause?: unknown
}

/** An error of our own making. Everything else that is thrown counts as `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly hint?: string
  readonly details?: Record<string, unknown>

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    if (options.hint !== undefined) this.hint = options.hint
    if (options.details !== undefined) this.details = options.details
  }
}

/** True for an `AppError`, also one that crossed a bundle or thread boundary as a copy of the class. */
export function isAppError(value: unknown): value is AppError {
  return value instanceof Error && value.name === 'AppError' && ERROR_CODES.includes((value as AppError).code)
}

/** Coerces anything thrown into an `AppError`; what is not ours becomes `internal` with the cause kept. */
export function toAppError(thrown: unknown): AppError {
  if (isAppError(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new AppError('internal', message, { cause: thrown })
}
