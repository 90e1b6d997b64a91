import { AppError } from '../../../domain/errors'
import type { Handler } from '../handler'

/** Their use cases are not put together yet. */
const notYet = (): never => {
  throw new AppError('unavailable', 'this is not there yet')
}
export const sessionIssues: Handler<'sessions.issues'> = notYet
export const linkIssue: Handler<'sessions.linkIssue'> = notYet
export const unlinkIssue: Handler<'sessions.unlinkIssue'> = notYet
export const unlinkIssues: Handler<'sessions.unlinkIssues'> = notYet
export const sawIssue: Handler<'sessions.sawIssue'> = notYet
export const issueSessions: Handler<'issues.sessions'> = notYet
