/**
 * The launch that a call repeats, for a hook: read from the embedded database directly, so that it needs no server; inside a run, or
 * with a record on PostgreSQL, the server is asked. Loads no zod and no Kysely.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfigFile } from '../../config/file/config-file'
import { type LaunchGuard, RECOVERY_KEYS } from '../../config/keys/recovery-keys'
import type { LaunchCall, LaunchMatch } from '../../domain/session/launch'
import { matchLaunch } from '../../engine/recovery/match-launch'
import { openLaunchReader } from '../../store/recall/launch-reader'
import { localServer } from './local-record'

type Environment = Readonly<Record<string, string | undefined>>

/** How launches are guarded, by the user's file. What is wrong there is left to commands to tell. */
export function guardMode(home: string, env: Environment): LaunchGuard {
  const path = join(home, 'config.yaml')
  const given = existsSync(path) ? readConfigFile(path).values.get('guard.launches') : undefined
  try {
    return given === undefined ? 'once' : RECOVERY_KEYS['guard.launches'].parse(given, { env, folder: home })
  } catch {
    return 'once'
  }
}

export interface FindLaunchCall {
  /** Lodeline's folder. */
  home: string
  env: Environment
  call: LaunchCall
  /** Milliseconds that a server may take. */
  timeoutMs: number
}

/** `null` = it repeats none, as far as is known. @throws what database and network throw: the launch goes on then */
export async function findLaunch({ home, env, call, timeoutMs }: FindLaunchCall): Promise<LaunchMatch | null> {
  const { LODELINE_URL: url, LODELINE_TOKEN: token } = env
  if (token) return url ? await askServer({ url, token }, call, timeoutMs) : null
  if (isOnPostgres(home, env)) {
    const server = timeoutMs > 0 ? await localServer(home, timeoutMs) : null
    return server === null ? null : await askServer(server, call, timeoutMs)
  }
  const path = join(home, 'lodeline.db')
  if (!existsSync(path)) return null
  const reader = openLaunchReader(path)
  try {
    return matchLaunch(call, await reader.unread(call))
  } finally {
    reader.close()
  }
}

function isOnPostgres(home: string, env: Environment): boolean {
  if (env.LODELINE_DATABASE_URL) return /^postgres/.test(env.LODELINE_DATABASE_URL)
  const path = join(home, 'config.yaml')
  if (!existsSync(path)) return false
  const url = readConfigFile(path).values.get('databaseUrl')
  return typeof url === 'string' && url.startsWith('postgres')
}

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

async function askServer(
  { url, token }: { url: string; token: string },
  { session, origins, type, prompt, processStartedAt }: LaunchCall,
  timeoutMs: number,
): Promise<LaunchMatch | null> {
  if (timeoutMs <= 0) return null
  const target = new URL(`/api/sessions/${encodeURIComponent(session)}/launch-check`, url)
  // A proxy of the agent's environment knows nothing of this machine's loopback.
  if (isLoopback(target.hostname)) process.env.NO_PROXY = '*'
  const response = await fetch(target, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ origins, type, prompt, processStartedAt }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) return null
  const { match } = (await response.json()) as { match: LaunchMatch | null }
  return match
}
