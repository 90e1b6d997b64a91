/** The answer to a hook of a session that is no run of a task. Loaded by `lode hook --answer` where none of a run is in the environment. */
import { isAbsolute } from 'node:path'
import { sessionId } from '../../domain/ids'
import { exportSession } from '../sessions/session-environment'
import { leaveCleared, takeCleared } from './cleared-note'
import { cliProcess, resumedByArguments } from './cli-process'
import { type HookAnswerCall, isFirst, limitOf } from './hook-call'
import type { HookMoment } from './hook-moment'
import { keepOrigin } from './origin-line'

/** @param payload  parsed; @param moment  what it is about, `null` = nothing that is answered */
export async function sessionAnswer(
  call: HookAnswerCall,
  payload: unknown,
  moment: HookMoment | null,
): Promise<string> {
  const { home, env, elapsedMs } = call
  const {
    hook_event_name: event,
    reason,
    session_id: session,
    cwd,
    transcript_path,
  } = (payload ?? {}) as Record<string, unknown>
  if (typeof session !== 'string' || !SESSION.test(session)) return ''
  try {
    if (event === 'SessionEnd') {
      const cli = reason === 'clear' ? cliProcess(env) : null
      if (cli !== null) leaveCleared(home, cli, session)
      return ''
    }
    if (moment === null) return ''
    const cli = cliProcess(env)
    if (!isFirst(cli === null ? moment : { ...moment, cli }, null, home, session)) return ''
    if (event === 'SessionStart') exportSession(env, session)
    const origin = cli === null ? null : originOf(moment, home, cli)
    // A clear leaves what runs in the background to the new conversation of the same process.
    if (origin !== null && moment.moment === 'clear') (await import('./launch-guard')).noteOrigin(home, session, origin)
    if (event === 'SessionStart' && cli !== null)
      keepOrigin(call, moment, { session, transcript: transcript_path, cli, cleared: origin })
    const { answerSession } = await import('../../app/hooks/session-answer')
    const recall = await answerSession({
      home,
      moment: moment.moment,
      session: sessionId(session),
      origin: origin === null ? null : sessionId(origin),
      cwd: typeof cwd === 'string' && isAbsolute(cwd) ? cwd : process.cwd(),
      env,
      timeoutMs: limitOf(moment) - elapsedMs,
    })
    return event === 'SessionStart' ? await withMessages(call, payload, recall) : recall
  } catch {
    // No database yet, another schema, a disk that takes nothing: the agent works without a reminder.
    return ''
  }
}

/** Characters of an answer that the CLI gives the model whole. */
const ANSWER_LIMIT = 9_900

/** A session that starts is given what waits for it as well; a recall that leaves no room for it goes first. */
async function withMessages(call: HookAnswerCall, payload: unknown, recall: string): Promise<string> {
  if (recall.length > ANSWER_LIMIT - 4_100) return recall
  const { mailText, readMessageMoment } = await import('./hook-messages')
  const moment = readMessageMoment(payload)
  const mail = moment === null ? '' : await mailText(call, moment)
  return [recall, mail].filter((part) => part !== '').join('\n\n')
}

/** Where the conversation comes from, by what is certain alone: the process itself. */
function originOf({ moment }: HookMoment, home: string, cli: string): string | null {
  if (moment === 'clear') return takeCleared(home, cli)
  return moment === 'fork' ? resumedByArguments(cli) : null
}

/** An id that can be no path. */
const SESSION = /^[\w-]{1,200}$/
