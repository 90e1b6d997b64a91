import type { Config } from '../../config/load'
import { toAppError } from '../../domain/errors'
import type { Context } from '../kit/context'
import { plural } from '../print/measures'
import { addHooks } from './add-hooks'

/**
 * Puts our hooks into the user's settings, or brings them up to date there, where `hooks.autoInstall` says so, and reports it. A file that
 * can't be changed is reported, too, and keeps nothing from starting.
 */
export async function autoInstallHooks(context: Context, config: Config): Promise<void> {
  if (!config.hooks.autoInstall) return
  try {
    const { ownSetup } = await import('../../app/agents/agent-setup')
    const own = await ownSetup(config)
    if (own === null) return
    const done = await addHooks(context, config, own)
    if (!done.isChanged) return
    context.note(
      `hooks.autoInstall: added ${plural(done.added.length, 'hook')} to ${done.file}; 'lode setup ${own.harness.program} --remove' removes them.`,
    )
  } catch (thrown) {
    context.note(`hooks.autoInstall: ${toAppError(thrown).message} No hook was changed.`)
  }
}
