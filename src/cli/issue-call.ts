import { resolve } from 'node:path'
import type { IssueClient } from '../api/client/issue-methods'
import { type AppError, toAppError } from '../domain/errors'
import { type SessionId, sessionId } from '../domain/ids'
import type { OptionSpecs } from './command'
import type { Context } from './context'
import { exitCodeFor } from './exit-codes'
import { actorOf } from './git-user'
import { quote, usageError } from './parse-args'
import { SESSION_VARIABLE } from './session-environment'

/** Which tracker is meant, and who acts: options of every command of the tracker. */
export const SCOPE = {
  dir: {
    kind: 'text',
    short: 'C',
    value: 'DIR',
    complete: 'folder',
    help: 'a folder of the project (default: this one)',
  },
  actor: { kind: 'text', value: 'NAME', help: "who acts (default: $BEADS_ACTOR, git's user.name, the login)" },
  session: { kind: 'text', value: 'ID', help: 'the session that acts (default: the calling one)' },
} as const satisfies OptionSpecs

/** An issue as an argument. */
export const ISSUE_ARG = { name: 'ID', help: "the issue's id, the part after its prefix, or a unique beginning of it" }

interface ScopeValues {
  dir: string | undefined
  actor: string | undefined
  session: string | undefined
}

export interface Scope {
  dir?: string
  actor?: string
  sessionId?: SessionId
}

/** The tracker of the folder that is meant, and what every request about it says. */
export async function openTracker(
  context: Context,
  { dir, actor, session }: ScopeValues,
): Promise<{ issues: IssueClient; scope: Scope; isRemote: boolean }> {
  const { client, isRemote } = await context.connection()
  const { io } = context
  // Paths of this machine mean nothing to another: there the run's own folder counts, or every tracker.
  const folder = dir === undefined ? (isRemote ? undefined : io.cwd) : isRemote ? dir : resolve(io.cwd, dir)
  const who = actor ?? actorOf(io)
  const calling = sessionOf(context, session)
  return {
    issues: client.issues,
    scope: {
      ...(folder !== undefined && { dir: folder }),
      ...(who !== undefined && { actor: who }),
      ...(calling !== undefined && { sessionId: calling }),
    },
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
    throw usageError(context.path)(`--session needs a session's id, not ${quote(named)}.`)
  }
  for (const name of ['CLAUDE_CODE_SESSION_ID', SESSION_VARIABLE]) {
    const id = context.io.env[name]
    if (id !== undefined && /^[\w-]{1,200}$/.test(id)) return sessionId(id)
  }
  return undefined
}

/** What the tracker noticed, for a person; programs find it in the answer. */
export function sayNotices(context: Context, notices: readonly string[]): void {
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
