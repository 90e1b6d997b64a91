import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isAbsence } from './journal-file'

export interface WalkOptions {
  /** Which files are wanted; asked before anything is read of them. */
  isWanted(path: string): boolean
  /** Called for each wanted regular file that was there. */
  onFile(path: string, stats: Stats): void
  /** A folder that could not be listed, other than by being gone. */
  onUnreadable(folder: string, error: unknown): void
  /** `true` ends the walk soon. */
  isStopped(): boolean
}

/** Deeper than any agent's CLI writes, and an end to what a hostile folder can ask for. */
const DEEPEST = 12
/** Files looked at side by side: enough to hide a slow disk, few enough to leave threads for others. */
const BREADTH = 32

/**
 * Visits every file below `folder`, without following links. Gives way to other work all the time; what vanishes on the
 * way is left out. Never throws.
 *
 * @returns `false` when `folder` itself is not there.
 */
export async function walkFolder(folder: string, options: WalkOptions): Promise<boolean> {
  const pending: { path: string; depth: number }[] = [{ path: folder, depth: 0 }]
  let isThere = true
  for (let next = pending.pop(); next !== undefined && !options.isStopped(); next = pending.pop()) {
    const { path, depth } = next
    const entries = await list(path, options)
    if (entries === 'missing' && path === folder) isThere = false
    if (entries === 'missing') continue
    const files: string[] = []
    for (const entry of entries) {
      const child = join(path, entry.name)
      if (entry.isDirectory() && depth < DEEPEST) pending.push({ path: child, depth: depth + 1 })
      // Some filesystems don't say what an entry is; `lstat` does.
      else if (!entry.isDirectory() && !entry.isSymbolicLink() && options.isWanted(child)) files.push(child)
    }
    await visit(files, options)
  }
  return isThere
}

async function list(path: string, options: WalkOptions): Promise<Dirent[] | 'missing'> {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (error) {
    if (isAbsence(error)) return 'missing'
    options.onUnreadable(path, error)
    return []
  }
}

async function visit(files: string[], options: WalkOptions): Promise<void> {
  for (let start = 0; start < files.length && !options.isStopped(); start += BREADTH) {
    await Promise.all(
      files.slice(start, start + BREADTH).map(async (path) => {
        const stats = await lstat(path).catch(() => undefined)
        if (stats?.isFile()) options.onFile(path, stats)
      }),
    )
  }
}
