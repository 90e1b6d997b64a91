/** Where a hook finds the record: in this folder's database, or at this machine's server. Loaded by hooks: node:fs and node:path only. */
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

/** This machine's server and the token for it, which is for no other; `null` = it is none of this machine. @throws the system's error */
export function localServer(home: string): { url: string; token: string } | null {
  const { url } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { url: string }
  if (!/^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(new URL(url).hostname)) return null
  process.env.NO_PROXY = '*'
  return { url, token: readFileSync(join(home, 'token'), 'utf8').trim() }
}
