import { CONFIG_KEYS, type ConfigKey, isConfigKey } from '../../config/keys'
import { AppError } from '../../domain/errors'
import { quote } from './parse-args'
import { didYouMean } from './suggest'

/** @throws `invalid`  no such setting, with the nearest one */
export function parseKey(text: string): ConfigKey {
  if (isConfigKey(text)) return text
  throw new AppError('invalid', `Unknown setting ${quote(text)}.${didYouMean(text, CONFIG_KEYS)}`, {
    hint: "Run 'lode config list' to see all settings.",
  })
}

/** A setting's value as it may be shown: a database's password never is. */
export function showValue(key: ConfigKey, value: unknown): unknown {
  if (key !== 'databaseUrl' || typeof value !== 'string') return value
  const url = URL.parse(value)
  if (url === null) return '***'
  if (url.password !== '') url.password = '***'
  if (url.searchParams.has('password')) url.searchParams.set('password', '***')
  return url.href
}
