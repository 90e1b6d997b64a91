/**
 * Messages for a conversation that is no run, given at its next prompt, at the end of a turn and at its start. Loaded by
 * `lode hook --answer` at these moments alone.
 */
import { isAbsolute } from 'node:path'
import { sessionId } from '../../domain/ids'
import { cliProcess } from './cli-process'
import type { HookAnswerCall } from './hook-call'

/** For the whole process, where a server is asked: a person waits for it. */
const LIMIT_MS = 800

/** An id that can be no path. */
const SESSION = /^[\w-]{1,200}$/

export interface MessagePayload {
  event: 'UserPromptSubmit' | 'Stop' | 'SessionStart'
  session: string
  transcript: string | null
}

/** The moment that a payload is about; `null` = none at which messages are given, or one of a sub-agent, whose they are not. */
export function readMessageMoment(payload: unknown): MessagePayload | null {
  if (typeof payload !== 'object' || payload === null) return null
  const {
    hook_event_name: event,
    session_id,
    transcript_path,
    agent_id,
    stop_hook_active,
  } = payload as Record<string, unknown>
  if (event !== 'UserPromptSubmit' && event !== 'Stop' && event !== 'SessionStart') return null
  if (typeof session_id !== 'string' || !SESSION.test(session_id) || agent_id !== undefined) return null
  // It goes on by a hook's word already: once in a turn is enough, or two agents could keep one another at work for ever.
  if (event === 'Stop' && stop_hook_active === true) return null
  const isPath = typeof transcript_path === 'string' && isAbsolute(transcript_path) && !transcript_path.includes('\0')
  return { event, session: session_id, transcript: isPath ? transcript_path : null }
}

/** What to print; '' = nothing. Never throws: what can't be given now waits. */
export async function messageAnswer(call: HookAnswerCall, payload: unknown): Promise<string> {
  const moment = readMessageMoment(payload)
  if (moment === null) return ''
  const text = await mailText(call, moment)
  if (text === '' || moment.event !== 'Stop') return text
  // At the end of a turn plain text reaches nobody; as context it has the agent go on.
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'Stop', additionalContext: text } })
}

/** The messages of the moment as text. */
export async function mailText({ home, env, elapsedMs }: HookAnswerCall, moment: MessagePayload): Promise<string> {
  try {
    // Whom nobody can see end, nothing is given to: it could not be offered again.
    const cli = cliProcess(env)
    if (cli === null) return ''
    const { takeMail } = await import('../../app/delivery/session-mail')
    return await takeMail({
      home,
      session: sessionId(moment.session),
      cli,
      route: 'hook',
      transcript: moment.transcript,
      env,
      timeoutMs: LIMIT_MS - elapsedMs,
      // The end of a turn is no reason to go on for a word that can wait.
      onlyWaking: moment.event === 'Stop',
    })
  } catch {
    return ''
  }
}
