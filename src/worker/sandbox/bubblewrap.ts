import { delimiter, isAbsolute, join } from 'node:path'
import { isProgram, triedProgram } from './tried-program'

/** The program that makes sandboxes on this machine, or why there is none. `whyOpen`: why they can have no network of their own; `null` = they can. */
export type Bubblewrap = { kind: 'bubblewrap'; path: string; whyOpen: string | null } | { why: string }

/** A network of its own, with a loopback alone. Some containers allow all but this. */
export const NETWORK_WORDS = ['--unshare-net']

/**
 * Spaces of its own for users, processes and memory; no right of root in it; it ends with the process that started it. The space of
 * processes ends as one when its first one does, whatever signals were sent in it.
 */
export const BOX_WORDS = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--cap-drop', 'ALL', '--die-with-parent']
/** Devices that every program needs, and the processes of the sandbox alone. */
export const SYSTEM_WORDS = ['--dev', '/dev', '--proc', '/proc']

/** Looks for `bwrap` in the search path and tries it. Never fails. */
export async function findBubblewrap(env: Readonly<Record<string, string | undefined>>): Promise<Bubblewrap> {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const path = folders.map((folder) => join(folder, 'bwrap')).find(isProgram)
  if (path === undefined) return { why: 'bubblewrap (bwrap) is not installed' }
  const whyOpen = await tried(path, env, NETWORK_WORDS)
  if (whyOpen === null) return { kind: 'bubblewrap', path, whyOpen }
  const why = await tried(path, env, [])
  return why === null ? { kind: 'bubblewrap', path, whyOpen } : { why: `bwrap does not work here: ${why}` }
}

const tried = (path: string, env: Readonly<Record<string, string | undefined>>, more: readonly string[]) =>
  triedProgram([path, ...BOX_WORDS, ...more, '--ro-bind', '/', '/', ...SYSTEM_WORDS, '--', 'true'], env)
