import { AppError, isAppError, toAppError } from '../../domain/errors'
import { type SessionId, sessionId } from '../../domain/ids'
import type { ShownSessionStatus } from '../../domain/session/session'
import { projectOf } from '../../util/git/git-project'
import { quote } from '../kit/arguments/parse-args'
import type { Context } from '../kit/context'
import { age, plural } from '../print/measures'
import { oneLine } from '../print/text'
import { sessionIn } from './session-environment'

/** Which session calls, with what says so; `null` = a person, or nothing tells. */
export interface CallingSession {
  id: string
  evidence: string
}

/** A session that could be meant, in errors. */
interface Candidate {
  id: string
  status: ShownSessionStatus
  title: string | null
  lastEventAt: string | null
}

/** Candidates that are listed. */
const MAX_CANDIDATES = 10

/** What a session's id may be: nothing that a path or a terminal could take for more. */
const SESSION_ID = /^(?!\.{1,2}$)[\w.-]{1,200}$/

/**
 * The session that this command is called by or for: the one that is named, else the run's own, else what the environment says, else
 * the only one that lives in this folder.
 */
export async function callingSession(context: Context, named: string | undefined): Promise<CallingSession | null> {
  const found = await surelyCalling(context, named)
  if (found !== null) return found
  const [only, ...others] = await liveHere(context)
  return only !== undefined && others.length === 0 ? { id: only.id, evidence: 'the only live session here' } : null
}

/**
 * As `callingSession`, for a command that can't do without.
 *
 * @throws `conflict` several live here; `not_found` none does. Both name the candidates, also in `details.candidates`
 */
export async function needCallingSession(context: Context, named: string | undefined): Promise<CallingSession> {
  const found = await surelyCalling(context, named)
  if (found !== null) return found
  const live = await liveHere(context)
  const [only, ...others] = live
  if (only !== undefined && others.length === 0) return { id: only.id, evidence: 'the only live session here' }
  if (live.length > 0)
    throw whichOf(context, 'conflict', `${plural(live.length, 'session')} are live in this folder.`, live)
  const { sessions } = await (await context.client()).sessions.list({
    under: projectOf(context.io.cwd).root,
    limit: MAX_CANDIDATES,
  })
  throw whichOf(context, 'not_found', 'No session is named, and no session is live in this folder.', sessions)
}

/** The session that is named or that the environment says; a folder never decides. @throws `invalid` it can't be an id */
export async function surelyCalling(context: Context, named: string | undefined): Promise<CallingSession | null> {
  // Hooks of other tools call with "$CLAUDE_SESSION_ID", which no release sets: nothing was named.
  if (named !== undefined && named !== '')
    return { id: await wholeId(context, checkedSession(named)), evidence: '--session' }
  const ofRun = await sessionOfRun(context)
  if (ofRun !== null) return { id: ofRun, evidence: 'LODELINE_TASK_ID' }
  const found = sessionIn(context.io.env)
  return found === null ? null : { id: found.id, evidence: found.name }
}

/** Completes what can be the beginning of a uuid: the whole is shown and kept. Any other id is the one that was named. */
async function wholeId(context: Context, id: string): Promise<string> {
  if (!/^[0-9a-f-]{1,35}$/i.test(id)) return id
  return (await (await context.client()).sessions.place(id)).session?.id ?? id
}

/** A session that just began is recorded within this; looked for this often until then. */
const KNOWN_WITHIN_MS = 3_000
const RECORD_LOOK_MS = 100

/**
 * The conversation that calls this command, which then owns what the command makes; `null` = a person's command. A run's token names its
 * own. The environment alone proves nothing: a terminal that was once started by an agent names its session for ever, so that session has
 * to be recorded and not over.
 */
export async function callingConversation(context: Context): Promise<SessionId | null> {
  if (context.io.env.LODELINE_TOKEN) return null
  const named = await surelyCalling(context, undefined)
  if (named === null) return null
  const client = await context.client()
  for (const until = performance.now() + KNOWN_WITHIN_MS; ; await Bun.sleep(RECORD_LOOK_MS)) {
    try {
      const { session } = await client.sessions.get(named.id)
      if (session.status !== 'ended' && session.status !== 'lost') return sessionId(session.id)
    } catch (thrown) {
      if (!isAppError(thrown) || thrown.code !== 'not_found') throw thrown
    }
    if (performance.now() < until && !context.signal.aborted) continue
    context.note(
      oneLine(
        `${named.evidence} names session ${named.id}, which is not live; no conversation will receive the result.`,
      ),
    )
    return null
  }
}

/** @throws `invalid` */
export function checkedSession(id: string): string {
  if (SESSION_ID.test(id)) return id
  throw new AppError('invalid', `${quote(id)} is not a valid session ID.`, {
    hint: "IDs have at most 200 letters, digits, dots, dashes and underscores. 'lode session list' shows them.",
  })
}

/** The conversation of the run that this process belongs to. */
async function sessionOfRun(context: Context): Promise<string | null> {
  const { LODELINE_TOKEN: token, LODELINE_URL: url, LODELINE_TASK_ID: task, LODELINE_ATTEMPT_ID: own } = context.io.env
  if (!token || !url || !task) return null
  try {
    const { attempts } = await (await context.client()).tasks.get(task)
    const attempt = attempts.find(({ id }) => id === own) ?? attempts.find(({ isLive }) => isLive)
    return attempt?.conversation?.sessionId ?? null
  } catch (thrown) {
    const { code } = toAppError(thrown)
    // A task that is gone, or that this token may not see: what the CLI itself says is the next best.
    if (code === 'not_found' || code === 'forbidden') return null
    throw thrown
  }
}

async function liveHere(context: Context): Promise<Candidate[]> {
  const client = await context.client()
  const { root } = projectOf(context.io.cwd)
  const { sessions } = await client.sessions.list({
    under: root,
    status: ['running', 'waiting', 'idle', 'stuck'],
    limit: MAX_CANDIDATES,
  })
  return sessions
}

function whichOf(
  { io }: Context,
  code: 'conflict' | 'not_found',
  message: string,
  sessions: readonly Candidate[],
): AppError {
  const candidates = sessions.map(({ id, status, title, lastEventAt }) => ({ id, status, title, lastEventAt }))
  const lines = candidates.map(({ id, status, title, lastEventAt }) =>
    oneLine(`${id}  ${status}  ${age(lastEventAt, io.now())}  ${title?.slice(0, 80) ?? ''}`),
  )
  return new AppError(code, message, {
    hint: [
      'Name it with --session ID.',
      ...(lines.length === 0 ? ["'lode session list' shows all sessions."] : lines),
    ].join('\n'),
    details: { candidates },
  })
}
