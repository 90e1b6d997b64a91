import type { Config } from '../../config/load'
import { AppError } from '../../domain/errors'
import type { AgentHarness } from '../../domain/harness/agent-harness'
import type { HarnessRun } from '../../domain/harness/harness-run'
import type { AgentName } from '../../domain/ids'
import { defaultHarness } from '../../harness/registry'

/** How an agent CLI is run. @throws `invalid` it is recorded only */
export async function runOf({ title, run }: AgentHarness): Promise<HarnessRun> {
  if (run !== null) return await run()
  throw new AppError('invalid', `Lodeline records ${title} but can't run it.`, {
    hint: 'Continue in the program itself.',
  })
}

/** The program of an agent CLI that the settings name; `null` = as PATH finds it. */
export const executableOf = ({ agents }: Pick<Config, 'agents'>, agent: AgentName): string | null =>
  agents[agent]?.executable ?? null

/** The same settings with this program for the agent CLI that begins new tasks. */
export function withExecutable(config: Config, executable: string): Config {
  const { name } = defaultHarness()
  return { ...config, agents: { ...config.agents, [name]: { homes: [], ...config.agents[name], executable } } }
}
