import { exitCodeOf } from '../api/contract/error-codes'
import type { AppError } from '../domain/errors'

/**
 * What a command's exit code says. The errors' own codes (1 to 13) stand in `api/contract/error-codes.ts`, one table for HTTP
 * statuses and exit codes; these are the rest.
 */
export const EXIT = {
  ok: 0,
  /** A question was answered with no; nothing was changed. */
  declined: 20,
  /** Ended by Ctrl-C (128 + SIGINT), as shells expect. */
  interrupted: 130,
} as const

/** The exit code for an error that ended a command. */
export function exitCodeFor(error: AppError): number {
  return exitCodeOf(error.code)
}
