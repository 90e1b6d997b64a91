import { CONFIG_KEYS, type ConfigKey, isConfigKey } from '../../../config/keys'
import { AppError } from '../../../domain/errors'
import { quote } from './parse-args'
import { didYouMean } from './suggest'

/** @throws `invalid`  no such setting, with the nearest one */
export function parseKey(text: string): ConfigKey {
  if (isConfigKey(text)) return text
  throw new AppError('invalid', `Unknown setting ${quote(text)}.${didYouMean(text, CONFIG_KEYS)}`, {
    hint: "Run 'lode config list' to see all settings.",
  })
}
