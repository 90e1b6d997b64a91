import type { Config } from '../config/load'
import { isAppError } from '../domain/errors'
import type { AgentHarness } from '../domain/harness/agent-harness'
import type { HarnessRun } from '../domain/harness/harness-run'
import type { AgentName, SessionId } from '../domain/ids'
import { defaultHarness, harnessNamed } from '../harness/registry'
import { executableOf, runOf } from './agents/agent-run'

/**
 * The CLI with its arguments, by which a person goes on with the session.
 *
 * @param agent  whose it is; `null` = not known
 * @throws `invalid` the CLI is recorded only; `not_found` this program does not know it
 */
export async function openCommand(
  config: Config,
  session: SessionId,
  agent: AgentName | null,
  model: string | null,
): Promise<string[]> {
  const harness = agent === null ? defaultHarness() : harnessNamed(agent)
  const run = await runOf(harness)
  const args = run.openArguments({ resume: session, fork: false, sessionId: null, model })
  return [executable(config, harness, run), ...args]
}

function executable(config: Config, harness: AgentHarness, run: HarnessRun): string {
  const env = Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined)
  try {
    return run.findExecutable(Object.fromEntries(env), executableOf(config, harness.name))
  } catch (error) {
    // What a CLI that is not found on this machine is called on the one where it is.
    if (isAppError(error)) return harness.program
    throw error
  }
}
