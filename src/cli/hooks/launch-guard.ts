/**
 * Stops an agent that is about to launch a sub-agent again, while the first one runs or its result is unread: the launch is refused once,
 * with the place of the first one. The same call made again passes. Loaded by `lode hook --answer` at such a call alone.
 */
import type { HookEvent, HookLaunch } from '../../domain/harness/harness-hooks'
import type { LaunchMatch } from '../../domain/session/launch'
import { MINUTE_MS } from '../../domain/time-units'
import { inline } from '../../util/quote'
import { cliProcess, cliStartedAt } from './cli-process'
import { Claims } from './first-claim'
import { claimsFolder, type HookWork } from './hook-call'

type LaunchEvent = Extract<HookEvent, { kind: 'launch' }>

/** For the whole process: the launch waits for it. */
const LIMIT_MS = 400
/** A refusal counts for this long; later the same launch is refused once more. */
const EXPIRES_MS = 10 * MINUTE_MS
/** An id that can be no path. */
const SESSION = /^[\w-]{1,200}$/

/** What is printed; '' = the launch goes on, and nothing is said. Never throws: what is not certain stops no agent. */
export async function launchGuard(call: HookWork, { sessionId, launch }: LaunchEvent): Promise<string> {
  const { home, env, elapsedMs, hooks } = call
  try {
    const { findLaunch, guardMode } = await import('../../app/hooks/launch-check')
    const mode = guardMode(home, env)
    if (mode === 'off') return ''
    const claims = new Claims(claimsFolder(home, sessionId))
    const origin = claims.newest(ORIGIN).note
    const match = await findLaunch({
      home,
      env,
      call: {
        session: sessionId,
        origins: SESSION.test(origin) ? [origin] : [],
        type: launch.type,
        prompt: launch.prompt,
        processStartedAt: cliStartedAt(cliProcess(call)),
      },
      timeoutMs: LIMIT_MS - elapsedMs,
    })
    if (match === null || !isFirstOf(claims, match, launch)) return ''
    const isRefused = match.likeness === 'same' && mode === 'once'
    return hooks.answerLaunch(isRefused ? 'refuse' : 'remark', isRefused ? refusal(match) : remark(match))
  } catch {
    return ''
  }
}

const ORIGIN = 'origin'

/** Notes what a conversation goes on from where only its first hook knew: a clear in the same process. */
export function noteOrigin(home: string, session: string, origin: string): void {
  const claims = new Claims(claimsFolder(home, session))
  claims.take(ORIGIN, claims.newest(ORIGIN).number + 1, origin)
}

/**
 * Whether this launch is the first of its kind in a while: the next one like it passes. Several hooks may ask about one and the same
 * call, of which one answers.
 */
function isFirstOf(claims: Claims, match: LaunchMatch, launch: HookLaunch): boolean {
  const text = `${match.sessionId} ${match.subagentId} ${launch.type} ${launch.prompt.trim()}`
  const name = `launch-${Bun.hash(text).toString(36)}`
  const newest = claims.newest(name)
  if (newest.ageMs < EXPIRES_MS) return false
  return claims.take(name, newest.number + 1, launch.toolUseId)
}

function refusal(match: LaunchMatch): string {
  return [
    `Lodeline: this launch repeats a sub-agent of this conversation. ${describeMatch(match, 'The same type and prompt')}`,
    'If you want another one nevertheless, repeat the identical call now: it will be allowed.',
  ].join(' ')
}

function remark(match: LaunchMatch): string {
  return `Lodeline: ${describeMatch(match, match.likeness === 'same' ? 'The same type and prompt' : 'Similar work')}`
}

const STATES = {
  running: 'is still running in the background, and you will receive its result when it ends. Wait for it',
  completed: 'has finished, and you have not read its result',
  failed: 'has failed, and you have not read its report',
  lost: 'was lost with its process before it ended; its work until then is recorded',
} as const

function describeMatch(match: LaunchMatch, what: string): string {
  const { subagentId: agentId, description, outputFile, startedAt, state } = match
  // What could be no word of a shell is no id of the CLI's.
  const id = /^[\w.-]{1,200}$/.test(agentId) ? agentId : inline(agentId, 100)
  const named = description === null ? '' : ` (${inline(description, 100)})`
  const since = startedAt === null ? '' : `, launched ${startedAt}`
  const output = outputFile === null ? '' : ` Its output: ${inline(outputFile, 500)}`
  return `${what}: sub-agent ${id}${named}${since} ${STATES[state]}. Read it with: lode subagent output ${id}.${output}`
}
