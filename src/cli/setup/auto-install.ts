import type { Config } from '../../config/load'
import { toAppError } from '../../domain/errors'
import { shellLine } from '../../util/shell-words'
import type { Context } from '../kit/context'
import { plural } from '../print/measures'

/**
 * Puts our hooks into the user's settings, or brings them up to date there, where `hooks.autoInstall` says so, and tells of it. A file
 * that can't be changed is told of, too, and keeps nothing from starting.
 */
export async function autoInstallHooks(context: Context, config: Config): Promise<void> {
  const { home, hooks, messages } = config
  if (!hooks.autoInstall) return
  const { env, cwd } = context.io
  try {
    const { homeOption, hookProgram, ownSetup, setupTools } = await import('../../app/agent-setup')
    const found = await ownSetup(config)
    if (found === null) return
    const { harness, setup, executable } = found
    const path = setup.userFile(env, cwd)
    const lode = shellLine([...hookProgram(), ...homeOption(home, env)])
    const version = setup.cliVersion(executable, env)
    const wakes = wakesByHook(messages)
    const cli = { executable, env, cwd }
    const own = { home, path, lode, version, wakes, todoTools: null, isDryRun: false, cli, tools: setupTools } as const
    const done = await setup.setUp(own)
    if (!done.isChanged) return
    context.note(
      `hooks.autoInstall: added ${plural(done.added.length, 'hook')} to ${path}; 'lode setup ${harness.program} --remove' removes them.`,
    )
  } catch (thrown) {
    context.note(`hooks.autoInstall: ${toAppError(thrown).message} No hook was changed.`)
  }
}

/** Whether hooks are installed that wait to wake an idle conversation: where the settings ask for it. */
export const wakesByHook = ({ wake }: Config['messages']): boolean => wake === 'rewake' || wake === 'all'
