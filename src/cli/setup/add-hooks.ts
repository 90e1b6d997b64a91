import type { AgentSetup } from '../../app/agents/agent-setup'
import type { Config } from '../../config/load'
import type { SetupOutcome } from '../../domain/harness/harness-setup'
import { shellLine } from '../../util/shell-words'
import type { Context } from '../kit/context'

/** Puts our hooks into the user's own settings of an agent CLI, as `lode setup` does. @throws what `HarnessSetup.setUp` throws */
export async function addHooks(context: Context, config: Config, agent: AgentSetup): Promise<SetupOutcome> {
  const { homeOption, hookProgram, setupTools } = await import('../../app/agents/agent-setup')
  const { home, messages } = config
  const { env, cwd } = context.io
  const { setup, executable } = agent
  return await setup.setUp({
    home,
    path: setup.userFile(env, cwd),
    lode: shellLine([...hookProgram(), ...homeOption(home, env)]),
    version: setup.cliVersion(executable, env),
    wakes: wakesByHook(messages),
    todoTools: null,
    isDryRun: false,
    cli: { executable, env, cwd },
    tools: setupTools,
  })
}

/** Whether hooks are installed that wait to wake an idle conversation: where the settings ask for it. */
export const wakesByHook = ({ wake }: Config['messages']): boolean => wake === 'rewake' || wake === 'all'
