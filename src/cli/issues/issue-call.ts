import type { Client } from '../../api/client'
import { type AppError, toAppError } from '../../domain/errors'
import { type SessionId, sessionId } from '../../domain/ids'
import { quote, usageError } from '../kit/arguments/parse-args'
import type { OptionSpecs } from '../kit/arguments/specs'
import type { Context } from '../kit/context'
import { exitCodeFor } from '../kit/exit-codes'
import { sessionIn } from '../sessions/session-environment'
import { PLACE, type Place, placeOf } from './issue-place'

/** Which tracker is meant, and who acts: options of every command of the tracker. */
export const SCOPE = {
  ...PLACE,
  session: {
    kind: 'text',
    value: 'ID',
    complete: 'session',
    help: 'the session to act as (default: the calling session)',
  },
} as const satisfies OptionSpecs

/** An issue as an argument. */
export const ISSUE_ARG = {
  name: 'ID',
  help: "the issue's ID, the part after its prefix, or a unique prefix of either",
  complete: 'issue',
} as const

export interface Scope extends Place {
  sessionId?: SessionId
}

/** The tracker of the folder that is meant, and what every request about it says. */
export async function openTracker(
  context: Context,
  { session, ...named }: Record<'dir' | 'actor' | 'session', string | undefined>,
): Promise<{ issues: Client['issues']; scope: Scope; isRemote: boolean }> {
  const { client, isRemote } = await context.connection()
  const calling = sessionOf(context, session)
  return {
    issues: client.issues,
    scope: { ...placeOf(context.io, isRemote, named), ...(calling !== undefined && { sessionId: calling }) },
    isRemote,
  }
}

/**
 * The session that is named, or that the environment says. Never the one that merely lives in this folder: a person's command beside
 * it is not its doing.
 */
function sessionOf(context: Context, named: string | undefined): SessionId | undefined {
  if (named !== undefined) {
    if (/^[\w.-]{1,200}$/.test(named)) return sessionId(named)
    throw usageError(context.path)(`--session needs a session ID, not ${quote(named)}.`)
  }
  const found = sessionIn(context.io.env)
  return found === null ? undefined : sessionId(found.id)
}

/** What the tracker noticed, for a person; programs find it in the answer. */
export function printNotices(context: Context, notices: readonly string[]): void {
  if (context.globals.isJson) return
  for (const notice of notices) context.note(notice)
}

export interface Failure {
  id: string
  code: string
  message: string
}

/**
 * Does the same to several issues, one after the other; one that fails does not keep the next from its turn.
 *
 * @returns what was done and what was not, with the exit code of the first failure
 * @throws the first failure, when none was done
 */
export async function eachOf<T>(
  context: Context,
  ids: readonly string[],
  work: (id: string, index: number) => Promise<T>,
): Promise<{ done: T[]; failures: Failure[]; code: number | undefined }> {
  const done: T[] = []
  const failed: { id: string; error: AppError }[] = []
  for (const [index, id] of [...new Set(ids)].entries()) {
    try {
      done.push(await work(id, index))
    } catch (thrown) {
      failed.push({ id, error: toAppError(thrown) })
    }
  }
  const [first] = failed
  if (first !== undefined && done.length === 0) throw first.error
  const failures = failed.map(({ id, error: { code, message } }) => ({ id, code, message }))
  if (!context.globals.isJson) for (const { id, message } of failures) context.note(`${id}: ${message}`)
  return { done, failures, code: first === undefined ? undefined : exitCodeFor(first.error) }
}
