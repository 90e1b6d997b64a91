import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { recordOf, textOf } from '../../json-lines/json-value'
import { configOf } from './thread-settings'

/** Where the CLI's own login is renewed, and its own model answers. */
const OWN = ['https://api.openai.com', 'https://chatgpt.com', 'https://auth.openai.com']

/** @see HarnessRun.modelUrls. The person's settings name other providers of models. */
export function modelUrls(env: Readonly<Record<string, string>>): string[] {
  const config = configOf(resolve(env.CODEX_HOME || join(env.HOME || homedir(), '.codex')))
  const chosen = textOf(config?.model_provider)
  const provider = chosen === undefined ? undefined : recordOf(recordOf(config?.model_providers)?.[chosen])
  const url = textOf(provider?.base_url) ?? textOf(config?.openai_base_url) ?? env.OPENAI_BASE_URL
  return url ? [url] : OWN
}
