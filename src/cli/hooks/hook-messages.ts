/**
 * Messages for a conversation that is no run, given at its next prompt, at the end of a turn and at its start. Loaded by
 * `lode hook --answer` at these moments alone.
 */
import type { HookEvent } from '../../domain/harness/harness-hooks'
import { sessionId as asSessionId } from '../../domain/ids'
import { cliProcess } from './cli-process'
import { AWAITED_LIMIT_MS, type HookWork } from './hook-call'

/** Events at which messages are given. */
export type MessageEvent = Extract<HookEvent, { kind: 'start' | 'prompt' | 'turnEnd' }>

/** The messages of the moment as text; '' = none. Never throws: what can't be given now waits. */
export async function mailText(call: HookWork, { kind, sessionId, transcript }: MessageEvent): Promise<string> {
  try {
    // A conversation gets a message only if its end can be seen: otherwise the message could not be offered again.
    const { home, env, elapsedMs } = call
    const cli = cliProcess(call)
    if (cli === null) return ''
    const { takeMail } = await import('../../app/delivery/session-mail')
    return await takeMail({
      home,
      session: asSessionId(sessionId),
      cli,
      route: 'hook',
      transcript,
      env,
      timeoutMs: AWAITED_LIMIT_MS - elapsedMs,
      // The end of a turn is no reason to go on for a word that can wait.
      onlyWaking: kind === 'turnEnd',
    })
  } catch {
    return ''
  }
}
