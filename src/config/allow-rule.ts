import { AppError } from '../domain/errors'
import { setConfigValue } from './file/edit'
import { type ConfigSources, readConfig } from './load'

/**
 * Adds a rule to `worker.allow` of this machine. Whoever follows the settings goes by it within a second or two.
 *
 * @returns the settings file, and whether the rule is new
 * @throws `invalid`   the file can't be read as settings
 */
export function addAllowRule(sources: ConfigSources, rule: string): { file: string; isNew: boolean } {
  const { config, userFile, errors } = readConfig(sources)
  const { allow } = config.worker
  if (allow.includes(rule)) return { file: userFile, isNew: false }
  const [wrong] = errors
  if (wrong !== undefined)
    throw new AppError('invalid', wrong, { hint: `Correct ${userFile} first: nothing in it counts while it is wrong.` })
  setConfigValue(userFile, 'worker.allow', [...allow, rule])
  return { file: userFile, isNew: true }
}
