/** The few settings that a hook needs, without loading the others: each key of a setting costs every hook a little. */
import { dirname } from 'node:path'
import { readConfigFile } from '../../config/file/config-file'
import { TODO_KEYS } from '../../config/keys/todo-keys'
import type { IssueLinkSource } from '../../domain/session/session-issue'

export interface RecallSettings {
  /** What links sessions to issues; `undefined` = all. */
  linkFrom: readonly IssueLinkSource[] | undefined
  hidesTodos: boolean
}

/**
 * As the configuration says it. What is wrong there is left to commands to tell.
 *
 * @param files  weakest first
 */
export function recallSettings(
  files: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RecallSettings {
  const settings: RecallSettings = { linkFrom: undefined, hidesTodos: false }
  for (const path of files) {
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
