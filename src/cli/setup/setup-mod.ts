/** The mod of `lode setup claude`: added when it is asked for, kept new, checked and removed with the hooks. */
import { shellLine } from '../../util/shell-words'
import type { Context } from '../kit/context'
import { plural } from '../print/measures'

/** @throws `not_found` `conflict` of `installMod` */
export async function setUpMod(
  context: Context,
  options: { mod: boolean; remove: boolean; check: boolean; 'dry-run': boolean },
): Promise<void> {
  const { homeOption } = await import('../../app/agent-setup')
  const { FIRST_WITH_MODS, installMod, modFiles, modFolder, modState, removeMod } = await import(
    '../../app/mod/install-mod'
  )
  const { env, cwd } = context.io
  const folder = modFolder(env, cwd)
  if (options.remove) {
    if (options['dry-run'] || !removeMod(folder)) return
    return context.note(`removed the mod ${folder}`)
  }
  const [, home = null] = homeOption(context.config().home, env)
  const files = (() => {
    try {
      return modFiles(home)
    } catch (error) {
      if (options.mod) throw error
      return new Map<string, string>()
    }
  })()
  const state = modState(folder, files)
  const isWanted = options.mod || state === 'outdated'
  if (options.check) {
    if (state !== 'none') context.note(`mod ${state === 'ready' ? 'ok' : state}: ${folder}`)
    return
  }
  if (!isWanted || files.size === 0) return
  if (state === 'ready') return context.note(`the mod is set up: ${folder}`)
  const lines = [...files.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  const what = `the mod (${plural(files.size, 'file')}, ${plural(lines, 'line')}) to ${folder}`
  if (options['dry-run'])
    return context.note(
      `would add ${what}. Its code: ${shellLine(['less', modSource()])}. It shows what needs you in Claude Code, adds /lode, and tells which call launched a sub-agent.`,
    )
  installMod(folder, files)
  context.note(`added ${what}. Claude Code ${FIRST_WITH_MODS} and later loads it at the next start of a session.`)

  function modSource(): string {
    return [...files.keys()].filter((path) => path.endsWith('.ts')).map((path) => `plugin/${path}`)[0] ?? 'plugin'
  }
}
