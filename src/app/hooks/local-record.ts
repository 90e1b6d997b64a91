/** Where a hook finds the record: in this folder's database, or at this machine's server. Loaded by hooks: node:fs and node:path only at first. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The settings are YAML, whose parser costs more than all else here: whether they name a database is seen without it. */
export function isOnPostgres(home: string, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.LODELINE_DATABASE_URL) return /^postgres/.test(env.LODELINE_DATABASE_URL)
  try {
    return /^[\s{,"']*databaseUrl["']?\s*:\s*["']?postgres/m.test(readFileSync(join(home, 'config.yaml'), 'utf8'))
  } catch {
    return false
  }
}

/**
 * This machine's server and the token for it, which is for no other: it has proved that it has the token.
 *
 * @param timeoutMs  for the proof
 * @returns `null` = it is none of this machine, or another program has its port
 * @throws the errors of system and network
 */
export async function localServer(home: string, timeoutMs: number): Promise<{ url: string; token: string } | null> {
  const { url } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { url: string }
  if (!/^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(new URL(url).hostname)) return null
  process.env.NO_PROXY = '*'
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  const { askHealth } = await import('../../api/client/prove-server')
  const { response, isProven } = await askHealth(new URL(url).origin, token, AbortSignal.timeout(timeoutMs))
  await response.body?.cancel()
  return isProven ? { url, token } : null
}
