/** The mod of `lode setup claude`: added when it is asked for, kept new, checked and removed with the hooks. */
import { join } from 'node:path'
import type { Context } from '../kit/context'
import type { AlsoChanged } from './setup-diff'

const install = () => import('../../app/mod/install-mod')

/** The mod, where it is wanted or older than this program; `null` = nothing is to be done. @throws `not_found` `conflict` */
export async function modToAdd(context: Context, isWanted: boolean): Promise<AlsoChanged | null> {
  const { FIRST_WITH_MODS, installMod, modState, requireFree, textAt } = await install()
  const { folder, files } = await placeOf(context, isWanted)
  const state = modState(folder, files)
  if (files.size === 0 || (!isWanted && state !== 'outdated')) return null
  if (state === 'ready') {
    context.note(`the mod is set up: ${folder}`)
    return null
  }
  requireFree(folder, files)
  return {
    why: `mod: code that Claude Code ${FIRST_WITH_MODS} and later runs; shows what needs you, adds /lode, tells which call launched a sub-agent`,
    changes: [...files].map(([path, after]) => ({
      path: join(folder, path),
      before: textAt(join(folder, path)) ?? '',
      after,
    })),
    apply() {
      installMod(folder, files)
      context.note(`added the mod to ${folder}. Claude Code loads it at the next start of a session.`)
    },
  }
}

/** Checks or removes it. */
export async function lookAtMod(context: Context, options: { remove: boolean; 'dry-run': boolean }): Promise<void> {
  const { modState, removeMod } = await install()
  const { folder, files } = await placeOf(context, false)
  if (options.remove) {
    if (!options['dry-run'] && removeMod(folder)) context.note(`removed the mod ${folder}`)
    return
  }
  const state = modState(folder, files)
  if (state !== 'none') context.note(`mod ${state === 'ready' ? 'ok' : state}: ${folder}`)
}

/** @param isNeeded  fails where the mod is not beside this program */
async function placeOf(context: Context, isNeeded: boolean) {
  const [{ homeOption }, { modFiles, modFolder }] = await Promise.all([
    import('../../app/agents/agent-setup'),
    install(),
  ])
  const { env, cwd } = context.io
  const [, home = null] = homeOption(context.config().home, env)
  const files = (() => {
    try {
      return modFiles(home)
    } catch (error) {
      if (isNeeded) throw error
      return new Map<string, string>()
    }
  })()
  return { folder: modFolder(env, cwd), files }
}
