import { exitCodeOf } from '../../api/contract/error-codes'
import type { AppError } from '../../domain/errors'

/**
 * What a command's exit code says. The errors' own codes (1 to 13) stand in `api/contract/error-codes.ts`, one table for HTTP
 * statuses and exit codes; these are the rest.
 */
export const EXIT = {
  ok: 0,
  /** A question was answered with no; nothing was changed. */
  declined: 20,
  /** The task that was waited for failed. With several tasks, the first of these that applies counts: 21 before 22, 23, 24. */
  taskFailed: 21,
  /** It was cancelled. */
  taskCancelled: 22,
  /** It is paused until somebody resumes it. */
  taskPaused: 23,
  /** It had not ended when the time was up. */
  timeout: 24,
  /** Ended by Ctrl-C (128 + SIGINT), as shells expect. */
  interrupted: 130,
} as const

/** For the reference: what each of them says. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'Success',
  declined: 'You answered a question with no; nothing was changed',
  taskFailed: 'The task failed. With several tasks, the first of 21, 22, 23 and 24 that applies counts',
  taskCancelled: 'The task was cancelled',
  taskPaused: 'The task is paused until somebody resumes it',
  timeout: 'The task had not ended when the time was up',
  interrupted: 'Ctrl-C ended the command (128 + SIGINT)',
}

/** The exit code for an error that ended a command. */
export function exitCodeFor(error: AppError): number {
  return exitCodeOf(error.code)
}
