import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The program that makes sandboxes on this machine, or why there is none. */
export type Bubblewrap = { path: string } | { why: string }

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
  const child = Bun.spawn([path, ...BOX_WORDS, '--ro-bind', '/', '/', ...SYSTEM_WORDS, '--', 'true'], {
    env: { PATH: env.PATH ?? '' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: PROBE_MS,
  })
  const [said, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code === 0) return { path }
  return { why: `bwrap does not work here: ${said.trim().split('\n', 1)[0]?.slice(0, 300) || `exit code ${code}`}` }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
