import type { Config } from '../config/load'
import { AppError } from '../domain/errors'
import type { AgentHarness } from '../domain/harness/agent-harness'
import type { HarnessRun } from '../domain/harness/harness-run'
import { defaultHarness } from '../harness/registry'

/** How an agent CLI is run. @throws `invalid` it is recorded only */
export async function runOf({ title, run }: AgentHarness): Promise<HarnessRun> {
  if (run !== null) return await run()
  throw new AppError('invalid', `Lodeline records ${title} but can't run it.`, {
    hint: 'Continue in the program itself.',
  })
}

/** The program that the settings name; they name that of the agent CLI that begins new tasks. */
export const executableOf = ({ worker }: Pick<Config, 'worker'>, harness: AgentHarness): string | null =>
  harness === defaultHarness() ? worker.executable : null
