/**
 * Tells the record where a conversation comes from, when only a hook's own process can know: no payload names what the same CLI held
 * before, and a hook writes no database. Loaded by the hook of a session's start: node:fs only.
 */
import { statSync } from 'node:fs'
import { cliStartedAt, resumedByArguments } from './cli-process'
import type { HookAnswerCall } from './hook-call'
import type { HookMoment } from './hook-moment'

/** A session's start, as its hook knows it. */
export interface StartedSession {
  session: string
  /** The payload's `transcript_path`. */
  transcript: unknown
  /** As `cliProcess` gives it. */
  cli: string
  /** What that process cleared a moment ago. */
  cleared: string | null
}

/** @throws the system's error when the journal can't be written */
export function keepOrigin(
  { env, keep }: HookAnswerCall,
  { moment }: HookMoment,
  { session, transcript, cli, cleared }: StartedSession,
): void {
  const payload = { hook_event_name: 'SessionOrigin', session_id: session }
  if (moment === 'clear' && cleared !== null && cleared !== session)
    keep?.(payload, { how: 'cleared', sessionId: cleared })
  if (moment !== 'resume') return
  const resumed = resumedAs(cli, cliStartedAt(env), session, transcript)
  if (resumed !== null) keep?.(payload, { how: 'resumed', sessionId: resumed })
}

/**
 * What this process was told to resume, where it goes on under another id: a release that gives each resume a new one. `null` = it keeps
 * its id, forks, or went on to an older conversation later.
 *
 * @param startedAt  of the CLI's process, in milliseconds
 */
export function resumedAs(cli: string, startedAt: number | null, session: string, transcript: unknown): string | null {
  const from = resumedByArguments(cli, { isForkToo: false })
  if (from === null || from === session || startedAt === null || typeof transcript !== 'string') return null
  // A conversation that was there before this process was not made by its resume.
  const file = statSync(transcript, { throwIfNoEntry: false })
  return file === undefined || (file.birthtimeMs > 0 && file.birthtimeMs >= startedAt) ? from : null
}
