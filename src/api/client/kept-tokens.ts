/** The tokens that workers of this machine got from servers elsewhere, each in a file that its owner alone can read. */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { randomHex, sha256Hex } from '../../util/crypto'

/** What a file holds. */
export interface KeptToken {
  /** The server's origin: the token goes nowhere else. */
  server: string
  /** The worker's name. */
  name: string
  token: string
}

const folderOf = (home: string): string => join(home, 'worker-tokens')

/** Keeps the token of a worker in the place of its former one. Appears whole or not at all. */
export function keepToken(home: string, kept: KeptToken): void {
  const folder = folderOf(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = sha256Hex(`${kept.server}\n${kept.name}`).slice(0, 32)
  const draft = join(folder, `.${randomHex(6)}`)
  writeFileSync(draft, `${JSON.stringify(kept)}\n`, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(draft, join(folder, `${name}.json`))
}

/** The tokens of this machine's workers for any of these servers, by the workers' names. @throws `forbidden` others may read one of them */
export function keptTokens(home: string, servers: readonly string[]): KeptToken[] {
  const folder = folderOf(home)
  return listed(folder)
    .flatMap((file) => readKept(join(folder, file)) ?? [])
    .filter((kept) => servers.includes(kept.server))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

/** `null` = it is not what a worker wrote. */
function readKept(path: string): KeptToken | null {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { server, name, token } = value as Partial<Record<keyof KeptToken, unknown>>
  if (typeof server !== 'string' || typeof name !== 'string') return null
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,500}$/.test(token)) return null
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new AppError('forbidden', `${path} can be read by others.`, {
      hint: `Run \`chmod 600 ${path}\` if you trust everyone who could read it. Else revoke the worker ${name} and enroll it again.`,
    })
  return { server, name, token }
}
