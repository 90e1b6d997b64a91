/**
 * What an agent is told when it is about to launch a sub-agent that repeats one which runs, or whose result nobody has read: the
 * launch is refused once, with where that one is; made again at once it passes. Loaded by `lode hook --answer` at such a call alone.
 */
import { isAbsolute } from 'node:path'
import type { LaunchMatch } from '../../domain/session/launch'
import { inline } from '../../util/quote'
import { cliStartedAt } from './cli-process'
import { Claims } from './first-claim'
import { claimsFolder, type HookAnswerCall } from './hook-call'

/** For the whole process: the launch waits for it. */
const LIMIT_MS = 400
/** A refusal counts for so long; later the same launch is refused once more. */
const EXPIRES_MS = 600_000
/** As the tool does when it is not told. */
const DEFAULT_TYPE = 'general-purpose'
/** An id that can be no path. */
const SESSION = /^[\w-]{1,200}$/

/** A hook's payload as far as it is looked at. */
export interface LaunchPayload {
  session: string
  cwd: string
  type: string
  prompt: string
  /** '' where the CLI does not say. */
  toolUseId: string
}

/** The launch that a payload is about; `null` = it is about something else. */
export function readLaunch(payload: unknown): LaunchPayload | null {
  if (typeof payload !== 'object' || payload === null) return null
  const { hook_event_name, tool_name, tool_input, tool_use_id, session_id, cwd } = payload as Record<string, unknown>
  if (hook_event_name !== 'PreToolUse' || (tool_name !== 'Agent' && tool_name !== 'Task')) return null
  if (typeof session_id !== 'string' || !SESSION.test(session_id)) return null
  if (typeof tool_input !== 'object' || tool_input === null) return null
  const { prompt, subagent_type } = tool_input as Record<string, unknown>
  if (typeof prompt !== 'string' || prompt.trim() === '') return null
  return {
    session: session_id,
    cwd: typeof cwd === 'string' && isAbsolute(cwd) ? cwd : process.cwd(),
    type: typeof subagent_type === 'string' && subagent_type !== '' ? subagent_type : DEFAULT_TYPE,
    prompt,
    toolUseId: typeof tool_use_id === 'string' ? tool_use_id : '',
  }
}

/** The JSON for stdout; '' = the launch goes on, and nothing is said. Never throws: what is not certain stops no agent. */
export async function launchGuard(call: HookAnswerCall, launch: LaunchPayload): Promise<string> {
  const { home, env, elapsedMs } = call
  try {
    const { findLaunch, guardMode } = await import('../../app/hooks/launch-check')
    const mode = guardMode(home, launch.cwd, env)
    if (mode === 'off') return ''
    const claims = new Claims(claimsFolder(home, launch.session))
    const origin = claims.newest(ORIGIN).note
    const match = await findLaunch({
      home,
      env,
      call: {
        session: launch.session,
        origins: SESSION.test(origin) ? [origin] : [],
        type: launch.type,
        prompt: launch.prompt,
        processStartedAt: cliStartedAt(env),
      },
      timeoutMs: LIMIT_MS - elapsedMs,
    })
    if (match === null || !isFirstOf(claims, match, launch)) return ''
    const output = match.likeness === 'same' && mode === 'once' ? refusal(match) : warning(match)
    return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } })
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
function isFirstOf(claims: Claims, match: LaunchMatch, launch: LaunchPayload): boolean {
  const text = `${match.sessionId} ${match.subagentId} ${launch.type} ${launch.prompt.trim()}`
  const name = `launch-${Bun.hash(text).toString(36)}`
  const newest = claims.newest(name)
  if (newest.ageMs < EXPIRES_MS) return false
  return claims.take(name, newest.number + 1, launch.toolUseId)
}

function refusal(match: LaunchMatch): { permissionDecision: 'deny'; permissionDecisionReason: string } {
  return {
    permissionDecision: 'deny',
    permissionDecisionReason: [
      `Lodeline: this launch repeats a sub-agent of this conversation. ${told(match, 'The same type and prompt')}`,
      'If you want another one all the same, make the identical call again now: it will pass.',
    ].join(' '),
  }
}

function warning(match: LaunchMatch): { additionalContext: string } {
  const what = match.likeness === 'same' ? 'The same type and prompt' : 'Much the same work'
  return { additionalContext: `Lodeline: ${told(match, what)}` }
}

const STATES = {
  running: 'is still running in the background, and its result will be handed to you when it ends. Wait for it',
  completed: 'has finished, and you have not read its result',
  failed: 'has failed, and you have not read what it reported',
  lost: 'was lost with its process before it ended; what it had done until then is kept',
} as const

function told(match: LaunchMatch, what: string): string {
  const { subagentId: agentId, description, outputFile, startedAt, state } = match
  // What could be no word of a shell is no id of the CLI's.
  const id = /^[\w.-]{1,200}$/.test(agentId) ? agentId : inline(agentId, 100)
  const named = description === null ? '' : ` (${inline(description, 100)})`
  const since = startedAt === null ? '' : `, launched ${startedAt}`
  const output = outputFile === null ? '' : ` Its output: ${inline(outputFile, 500)}`
  return `${what}: sub-agent ${id}${named}${since} ${STATES[state]}. Read it with: lode subagent output ${id}.${output}`
}
