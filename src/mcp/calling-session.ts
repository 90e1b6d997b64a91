import { sessionId } from '../domain/ids'
import { CALLING_ARGUMENT } from '../domain/session/calling-argument'
import type { ToolHost } from './host'

/**
 * The caller of one call, and its arguments without the name of the session. A process serves one session, or many: Codex names the session
 * beside the arguments, our plugin of opencode among them. A run is known by its token, whatever is said here.
 */
export function callerOf(
  host: ToolHost,
  args: unknown,
  meta: Record<string, unknown> | undefined,
): { host: ToolHost; args: unknown } {
  if (host.caller !== 'operator' || host.taskId !== null) return { host, args }
  const { [CALLING_ARGUMENT]: named, ...rest } = isRecord(args) ? args : {}
  const id = [named, meta?.sessionId, meta?.threadId].find((each) => typeof each === 'string' && SESSION_ID.test(each))
  const own = named === undefined ? args : rest
  if (typeof id !== 'string') return { host, args: own }
  return {
    args: own,
    host: {
      ...host,
      sessionId: sessionId(id),
      get joined() {
        return host.joined
      },
      set joined(agent) {
        host.joined = agent
      },
    },
  }
}

const SESSION_ID = /^[\w-]{1,200}$/
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
