import { recordOf, textOf } from '../../json-lines/json-value'
import { configOf } from '../run/thread-settings'

/** What the CLI takes where its settings name none. */
export const DEFAULT_PROVIDER = 'openai'

/** By the person's settings: of the profile that they choose, else of all. */
export function providerIn(root: string): string | null {
  const config = configOf(root)
  const profile = recordOf(recordOf(config?.profiles)?.[textOf(config?.profile) ?? ''])
  return textOf(profile?.model_provider) ?? textOf(config?.model_provider) ?? null
}
