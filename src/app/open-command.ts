import type { Config } from '../config/load'
import { isAppError } from '../domain/errors'
import type { SessionId } from '../domain/ids'
import { claudeCodeRun } from '../harness/claude-code/run'

/** What a CLI that is not found on this machine is called on the one where it is. */
const BY_NAME = 'claude'

/** The CLI with its arguments, by which a person goes on with the session. */
export function openCommand(config: Config, session: SessionId, model: string | null): string[] {
  return [executable(config), ...claudeCodeRun.openArguments({ resume: session, fork: false, sessionId: null, model })]
}

function executable(config: Config): string {
  const env = Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined)
  try {
    return claudeCodeRun.findExecutable(Object.fromEntries(env), config.worker.executable)
  } catch (error) {
    if (isAppError(error)) return BY_NAME
    throw error
  }
}
