import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../config/load'
import { toAppError } from '../domain/errors'
import { shellLine } from '../util/shell-words'
import type { Context } from './context'
import type { Io } from './io'
import { plural } from './measures'

/** The user's own settings of Claude Code. */
export function userSettings({ env, cwd }: Io): string {
  const { CLAUDE_CONFIG_DIR: folder, HOME } = env
  return join(folder ? resolve(cwd, folder) : join(HOME || homedir(), '.claude'), 'settings.json')
}

/**
 * Puts our hooks into the user's settings, or brings them up to date there, where `hooks.autoInstall` says so, and tells of it. A file
 * that can't be changed is told of, too, and keeps nothing from starting.
 */
export async function autoInstallHooks(context: Context, { home, hooks, messages, worker }: Config): Promise<void> {
  if (!hooks.autoInstall) return
  const path = userSettings(context.io)
  try {
    const setup = await import('../app/setup-claude')
    const lode = shellLine([...setup.hookProgram(), ...setup.homeOption(home, context.io.env)])
    const version = setup.cliVersion(worker.executable, context.io.env)
    const wakes = wakesByHook(messages)
    const done = setup.setUp({ home, path, lode, version, wakes, todoTools: null, isDryRun: false })
    if (!done.isChanged) return
    context.note(
      `hooks.autoInstall: put ${plural(done.added.length, 'hook')} into ${path}; 'lode setup claude --remove' takes them out.`,
    )
  } catch (thrown) {
    context.note(`hooks.autoInstall: ${toAppError(thrown).message}; no hook was changed.`)
  }
}

/** Whether hooks are installed that wait to wake an idle conversation: where the settings ask for it. */
export const wakesByHook = ({ wake }: Config['messages']): boolean => wake === 'rewake' || wake === 'all'
