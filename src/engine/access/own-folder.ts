import { relative } from 'node:path'
import { realProjectOf } from '../../util/git-project'
import type { Asking, Related } from './asking'

/** A run works in the folder that its worker says, and in that of its task; their projects are its own. */
export async function isOwnFolder(asking: Asking, caller: Related, folder: string): Promise<boolean> {
  if (caller.kind !== 'attempt') return false
  const own = [
    (await asking.tasks.placeOfAttempt(caller.attemptId))?.cwd,
    (await asking.tasks.kinOf(caller.taskId))?.dir,
  ].filter((dir) => dir != null)
  const { root } = realProjectOf(folder)
  return own.some((dir) => isWithin(folder, dir) || isWithin(root, realProjectOf(dir).root))
}

/** Whether a path is a folder or below it. Both absolute. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith('../'))
}
