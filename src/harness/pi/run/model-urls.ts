import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, recordOf } from '../../json-lines/json-value'
import { piRoot } from '../root'

/** Where the providers that the CLI knows answer, and renew a login. */
const OWN = [
  'https://api.anthropic.com',
  'https://platform.claude.com',
  'https://console.anthropic.com',
  'https://api.openai.com',
  'https://chatgpt.com',
  'https://auth.openai.com',
  'https://generativelanguage.googleapis.com',
  'https://openrouter.ai',
]

/** Looks at the models that the person added to the CLI's configuration folder. */
export function modelUrls(env: Readonly<Record<string, string>>): string[] {
  const named = [...providersIn(join(piRoot(env), 'models.json')), env.ANTHROPIC_BASE_URL, env.OPENAI_BASE_URL]
  return [...OWN, ...named.filter((url) => url !== undefined && URL.canParse(url))] as string[]
}

function providersIn(path: string): string[] {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const providers = isRecord(read) ? (recordOf(read.providers) ?? {}) : {}
    return Object.values(providers).flatMap((provider) => {
      const url = isRecord(provider) ? provider.baseUrl : undefined
      return typeof url === 'string' ? [url] : []
    })
  } catch {
    return []
  }
}
