import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isWithin } from '../../util/files/is-within'
import { projectOf } from '../../util/git/git-project'
import type { Asking, Related } from './asking'

/** A run works in the folder that its worker says, and in that of its task; their projects are its own. */
export async function isOwnFolder(asking: Asking, caller: Related, folder: string): Promise<boolean> {
  if (caller.kind !== 'attempt') return false
  const own = [
    (await asking.tasks.placeOfAttempt(caller.attemptId))?.cwd,
    (await asking.tasks.kinOf(caller.taskId))?.dir,
  ].flatMap((dir) => (dir == null ? [] : [real(dir)]))
  const asked = real(folder)
  const { root } = projectOf(asked)
  return own.some((dir) => isWithin(asked, dir) || isWithin(root, projectOf(dir).root))
}

/** Links resolved: a run could make one that leads elsewhere. What is gone or on another host is as its name says. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve('/', path)
  }
}
