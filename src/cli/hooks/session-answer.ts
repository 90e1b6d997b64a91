/** The answer to a hook of a session that is no run of a task. Loaded by `lode hook --answer` where none of a run is in the environment. */
import type { HookEvent, HookMoment } from '../../domain/harness/harness-hooks'
import { sessionId as asSessionId, subagentId as asSubagentId } from '../../domain/ids'
import type { RecallMoment } from '../../domain/recall/recall'
import { SESSION_VARIABLE } from '../sessions/session-environment'
import { leaveCleared, takeCleared } from './cleared-note'
import { argumentsOf, cliProcess } from './cli-process'
import { AWAITED_LIMIT_MS, type HookWork, isFirst, limitOf } from './hook-call'
import type { MessageEvent } from './hook-messages'
import { keepOrigin } from './origin-line'

/** The reminder of a moment; '' = none, or another hook gives it. Never throws. */
export async function sessionAnswer(call: HookWork, event: HookMoment): Promise<string> {
  const { moment, promptId, sessionId } = event
  try {
    const cli = cliProcess(call)
    const heard = { moment, promptId, sessionId, ...(cli !== null && { cli }) }
    return isFirst(heard, null, call.home, sessionId) ? await recallOf(call, event) : ''
  } catch {
    return ''
  }
}

/** The same, for who alone answers this moment. Never throws. */
export async function recallOf(call: HookWork, event: HookMoment): Promise<string> {
  const { home, env, elapsedMs, hooks } = call
  const { moment, sessionId, cwd, transcript } = event
  try {
    const cli = cliProcess(call)
    if (event.kind === 'start') hooks.exportVariable(env, SESSION_VARIABLE, sessionId)
    const origin = cli === null ? null : originOf(call, moment, cli)
    // A clear leaves what runs in the background to the new conversation of the same process.
    if (origin !== null && moment === 'clear') (await import('./launch-guard')).noteOrigin(home, sessionId, origin)
    if (event.kind === 'start' && cli !== null)
      keepOrigin(call, event, { session: sessionId, transcript, cli, cleared: origin })
    const { answerSession } = await import('../../app/hooks/session-answer')
    const recall = await answerSession({
      home,
      moment,
      session: asSessionId(sessionId),
      origin: origin === null ? null : asSessionId(origin),
      cwd: cwd ?? process.cwd(),
      env,
      timeoutMs: limitOf(event) - elapsedMs,
    })
    return event.kind === 'start' ? await withMessages(call, event, recall) : recall
  } catch {
    // No database yet, another schema, a disk that takes nothing: the agent works without a reminder.
    return ''
  }
}

/** What comes with a person's prompt: messages, and what others did to the issue since. Never throws. */
export async function promptAnswer(call: HookWork, event: Extract<HookEvent, { kind: 'prompt' }>): Promise<string> {
  const { home, env, elapsedMs } = call
  const mail = await (await import('./hook-messages')).mailText(call, event)
  try {
    const { answerSession } = await import('../../app/hooks/session-answer')
    const news = await answerSession({
      home,
      moment: 'prompt',
      session: asSessionId(event.sessionId),
      origin: null,
      cwd: event.cwd ?? process.cwd(),
      env,
      timeoutMs: AWAITED_LIMIT_MS - elapsedMs,
    })
    return [mail, news].filter((part) => part !== '').join('\n\n')
  } catch {
    return mail
  }
}

/** The reminder for a sub-agent after its own compaction. Several hooks may hear of it; only one answers. Never throws. */
export async function subagentAnswer(
  call: HookWork,
  event: Extract<HookEvent, { kind: 'subagentCompacted' }>,
): Promise<string> {
  const { home, env, elapsedMs } = call
  const { sessionId, subagentId, promptId, cwd } = event
  try {
    const subject = `${sessionId}/${subagentId}`
    if (!isFirst({ moment: 'compact', promptId, sessionId: subject }, null, home, subject)) return ''
    const { answerSession } = await import('../../app/hooks/session-answer')
    return await answerSession({
      home,
      moment: 'compact',
      session: asSessionId(sessionId),
      subagent: asSubagentId(subagentId),
      origin: null,
      cwd: cwd ?? process.cwd(),
      env,
      timeoutMs: AWAITED_LIMIT_MS - elapsedMs,
    })
  } catch {
    return ''
  }
}

/** Notes that a person cleared a conversation: the hook of the next one's start looks for it. Never throws. */
export function noteCleared(call: HookWork, sessionId: string): void {
  try {
    const cli = cliProcess(call)
    if (cli !== null) leaveCleared(call.home, cli, sessionId)
  } catch {
    // A disk that takes nothing: the next conversation begins without its origin.
  }
}

/** Room that messages get, in characters. A recall that leaves less goes alone. */
const MAIL_ROOM = 4_100

/** A session that starts is given what waits for it as well. */
async function withMessages(call: HookWork, event: MessageEvent, recall: string): Promise<string> {
  if (recall.length > call.hooks.answerLimit - MAIL_ROOM) return recall
  const { mailText } = await import('./hook-messages')
  const mail = await mailText(call, event)
  return [recall, mail].filter((part) => part !== '').join('\n\n')
}

/** Where the conversation comes from, by what is certain alone: the process itself. */
function originOf({ home, hooks }: HookWork, moment: RecallMoment, cli: string): string | null {
  if (moment === 'clear') return takeCleared(home, cli)
  return moment === 'fork' ? hooks.arguments(argumentsOf(cli) ?? []).resumes : null
}
