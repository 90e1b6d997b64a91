/**
 * The owner of a folder. As git does, we use no tracker of another user: its words reach the person's agents, and ours would be written
 * there.
 */
import { lstatSync } from 'node:fs'
import { AppError } from '../../domain/errors'

export interface FolderTrust {
  /** User that this process acts for; `undefined` where the system has no such numbers. */
  uid: number | undefined
  env: Readonly<Record<string, string | undefined>>
}

/** Whether the file or folder, not what it leads to, is the user's. What can't be looked at is not. */
export function isOwn(path: string, { uid }: FolderTrust): boolean {
  if (uid === undefined) return true
  return lstatSync(path, { throwIfNoEntry: false })?.uid === uid
}

/**
 * @param paths  that are used; those that are not there yet don't count
 * @param root  the project's folder, which the person may have named in git's `safe.directory`
 * @throws `forbidden`
 */
export function assertOwn(paths: readonly string[], root: string, trust: FolderTrust): void {
  const foreign = paths.find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isOwn(path, trust))
  if (foreign === undefined || safeFolders(trust).some((safe) => fits(safe, root))) return
  throw new AppError('forbidden', `${foreign} belongs to another user, so its issues are not used.`, {
    hint: `If you trust that user, run: git config --global --add safe.directory ${root}`,
    details: { path: foreign },
  })
}

const fits = (safe: string, root: string): boolean =>
  safe === '*' || safe === root || (safe.endsWith('/*') && root.startsWith(safe.slice(0, -1)))

/** What the person and the system's administrator named; a repository can't name itself. */
function safeFolders({ env }: FolderTrust): string[] {
  try {
    const { stdout } = Bun.spawnSync(['git', 'config', '--type=path', '--get-all', 'safe.directory'], { cwd: '/', env })
    const lines = stdout.toString().split('\n')
    // An empty value takes back what stands before it.
    return lines.slice(lines.lastIndexOf('', -2) + 1, -1)
  } catch {
    return []
  }
}
