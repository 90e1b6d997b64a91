/** The few settings that a hook needs, without loading the others: each key of a setting costs every hook a little. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfigFile } from '../config/config-file'
import { TODO_KEYS } from '../config/todo-keys'
import type { IssueLinkSource } from '../domain/session-issue'

export interface RecallSettings {
  /** What links sessions to issues; `undefined` = all. */
  linkFrom: readonly IssueLinkSource[] | undefined
  hidesTodos: boolean
}

/**
 * As the configuration says it, by the user's file and that of the project. What is wrong there is left to commands to tell.
 *
 * @param home  Lodeline's folder; @param cwd  where the agent works
 */
export function recallSettings(
  home: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): RecallSettings {
  const settings: RecallSettings = { linkFrom: undefined, hidesTodos: false }
  const user = join(home, 'config.yaml')
  for (const path of [user, projectFile(cwd, user, env.HOME ?? '')]) {
    if (path === null || !existsSync(path)) continue
    const { values } = readConfigFile(path)
    const place = { env, folder: dirname(path) }
    try {
      if (values.has('todos.enabled'))
        settings.hidesTodos = !TODO_KEYS['todos.enabled'].parse(values.get('todos.enabled'), place)
      if (values.has('todos.linkFrom'))
        settings.linkFrom = TODO_KEYS['todos.linkFrom'].parse(values.get('todos.linkFrom'), place)
    } catch {
      // The value of the source below stays.
    }
  }
  return settings
}

/** The nearest from `cwd` upwards, not above the repository's root, and not the user's own folder. */
export function projectFile(cwd: string, user: string, userHome: string): string | null {
  for (let folder = resolve(cwd); folder !== userHome && folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, '.lodeline', 'config.yaml')
    if (path !== user && existsSync(path)) return path
    if (existsSync(join(folder, '.git'))) return null
  }
  return null
}
