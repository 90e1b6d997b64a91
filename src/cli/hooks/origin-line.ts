/**
 * Tells the record where a conversation comes from, when only a hook's own process can know: no payload names what the same CLI held
 * before, and a hook writes no database. Loaded by the hook of a session's start: node:fs only.
 */
import { statSync } from 'node:fs'
import { argumentsOf, cliStartedAt } from './cli-process'
import type { HookWork } from './hook-call'
import type { Moment } from './hook-moment'

/** A session's start, as its hook knows it. */
export interface StartedSession {
  session: string
  transcript: string | null
  /** As `cliProcess` gives it. */
  cli: string
  /** What that process cleared a moment ago. */
  cleared: string | null
}

/** @throws the system's error when the journal can't be written */
export function keepOrigin(
  { hooks, keep }: HookWork,
  { moment }: Pick<Moment, 'moment'>,
  { session, transcript, cli, cleared }: StartedSession,
): void {
  const payload = { hook_event_name: 'SessionOrigin', session_id: session }
  if (moment === 'clear' && cleared !== null && cleared !== session)
    keep?.(payload, { how: 'cleared', sessionId: cleared })
  if (moment !== 'resume') return
  const { resumes = null, isFork = false } = hooks.arguments(argumentsOf(cli) ?? [])
  const resumed = isFork ? null : resumedAs(resumes, cliStartedAt(cli), session, transcript)
  if (resumed !== null) keep?.(payload, { how: 'resumed', sessionId: resumed })
}

/**
 * The session that this process had to resume, where it goes on under another id: a release that gives each resume a new one. `null` = it
 * keeps its id, forks, or went on to an older conversation later.
 *
 * @param from       the session that its arguments name
 * @param startedAt  of the CLI's process, in milliseconds
 */
export function resumedAs(
  from: string | null,
  startedAt: number | null,
  session: string,
  transcript: string | null,
): string | null {
  if (from === null || from === session || startedAt === null || transcript === null) return null
  // A conversation that was there before this process was not made by its resume.
  const file = statSync(transcript, { throwIfNoEntry: false })
  return file === undefined || (file.birthtimeMs > 0 && file.birthtimeMs >= startedAt) ? from : null
}
