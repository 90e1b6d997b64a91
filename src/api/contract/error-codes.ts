import { ERROR_CODES, type ErrorCode } from '../../domain/errors'

export interface ErrorFacts {
  status: number
  /** Exit code of a command that ends with this error; 0 is success. */
  exitCode: number
}

/** One table for both ends: a code's HTTP status and exit code. Exit codes are unique; a status may stand for several codes. */
export const ERROR_TABLE = {
  internal: { status: 500, exitCode: 1 },
  invalid: { status: 400, exitCode: 2 },
  not_found: { status: 404, exitCode: 3 },
  conflict: { status: 409, exitCode: 4 },
  unauthorized: { status: 401, exitCode: 5 },
  forbidden: { status: 403, exitCode: 6 },
  too_large: { status: 413, exitCode: 7 },
  unavailable: { status: 503, exitCode: 8 },
  storage_full: { status: 507, exitCode: 9 },
  storage_readonly: { status: 503, exitCode: 10 },
  storage_corrupt: { status: 500, exitCode: 11 },
  schema_mismatch: { status: 503, exitCode: 12 },
  lease_lost: { status: 412, exitCode: 13 },
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
