import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The program that makes sandboxes on this machine, or why there is none. `whyOpen`: why they can have no network of their own; `null` = they can. */
export type Bubblewrap = { path: string; whyOpen: string | null } | { why: string }

/** A network of its own, with a loopback alone. Some containers allow all but this. */
export const NETWORK_WORDS = ['--unshare-net']

/**
 * Spaces of its own for users, processes and memory; no right of root in it; it ends with the process that started it. The space of
 * processes ends as one when its first one does, whatever signals were sent in it.
 */
export const BOX_WORDS = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--cap-drop', 'ALL', '--die-with-parent']
/** Devices that every program needs, and the processes of the sandbox alone. */
export const SYSTEM_WORDS = ['--dev', '/dev', '--proc', '/proc']

const PROBE_MS = 5_000

/** Looks for `bwrap` in the search path and tries it. Never fails. */
export async function findBubblewrap(env: Readonly<Record<string, string | undefined>>): Promise<Bubblewrap> {
  if (process.platform !== 'linux') return { why: `there is none for ${process.platform}` }
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const path = folders.map((folder) => join(folder, 'bwrap')).find(isProgram)
  if (path === undefined) return { why: 'bubblewrap (bwrap) is not installed' }
  const whyOpen = await tried(path, env, NETWORK_WORDS)
  if (whyOpen === null) return { path, whyOpen }
  const why = await tried(path, env, [])
  return why === null ? { path, whyOpen } : { why: `bwrap does not work here: ${why}` }
}

/** @returns what it said of its failure; `null` = it works */
async function tried(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[],
): Promise<string | null> {
  const child = Bun.spawn([path, ...BOX_WORDS, ...more, '--ro-bind', '/', '/', ...SYSTEM_WORDS, '--', 'true'], {
    env: { PATH: env.PATH ?? '' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: PROBE_MS,
  })
  const [said, code] = await Promise.all([child.stderr.text(), child.exited])
  return code === 0 ? null : said.trim().split('\n', 1)[0]?.slice(0, 300) || `exit code ${code}`
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
