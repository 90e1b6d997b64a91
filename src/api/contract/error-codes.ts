import { ERROR_CODES, type ErrorCode } from '../../domain/errors'

export interface ErrorFacts {
  status: number
  /** Exit code of a command that ends with this error; 0 is success. */
  exitCode: number
  /** For the reference. */
  meaning: string
}

/** One table for both ends: a code's HTTP status and exit code. Exit codes are unique; a status may stand for several codes. */
export const ERROR_TABLE = {
  internal: { status: 500, exitCode: 1, meaning: 'Lodeline itself failed; its log has the cause' },
  invalid: { status: 400, exitCode: 2, meaning: 'The input is wrong: an option, a field or a value' },
  not_found: { status: 404, exitCode: 3, meaning: 'There is no such thing' },
  conflict: { status: 409, exitCode: 4, meaning: 'Its state does not allow this, or several things match' },
  unauthorized: { status: 401, exitCode: 5, meaning: 'No token, or a wrong one' },
  forbidden: { status: 403, exitCode: 6, meaning: 'This caller may not do this' },
  too_large: { status: 413, exitCode: 7, meaning: 'A text, a list or a body is above its limit' },
  unavailable: { status: 503, exitCode: 8, meaning: 'No server answers, or the database is busy or away' },
  storage_full: { status: 507, exitCode: 9, meaning: 'No space is left' },
  storage_readonly: { status: 503, exitCode: 10, meaning: "The database can't be written" },
  storage_corrupt: { status: 500, exitCode: 11, meaning: 'The database is damaged' },
  schema_mismatch: { status: 503, exitCode: 12, meaning: 'The database belongs to another version of Lodeline' },
  lease_lost: { status: 412, exitCode: 13, meaning: 'A later attempt holds the lease; nothing was changed' },
} as const satisfies Record<ErrorCode, ErrorFacts>

export const statusOf = (code: ErrorCode): number => ERROR_TABLE[code].status

export const exitCodeOf = (code: ErrorCode): number => ERROR_TABLE[code].exitCode

/** The code that a bare status stands for (an answer without our body, from a proxy); the first of the table wins. */
export function codeOfStatus(status: number): ErrorCode {
  for (const [code, facts] of Object.entries(ERROR_TABLE)) if (facts.status === status) return code as ErrorCode
  if (status === 502 || status === 504 || status === 429) return 'unavailable'
  return status >= 400 && status < 500 ? 'invalid' : 'internal'
}

/** True when `text` is one of our codes. */
export const isErrorCode = (text: unknown): text is ErrorCode => ERROR_CODES.includes(text as ErrorCode)
