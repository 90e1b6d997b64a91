import { type Stats, statSync } from 'node:fs'
import { AppError } from '../../domain/errors'

const FILE_LOOK_MS = 2_000

/**
 * Watches over the file of a SQLite database. A program that has it open writes on after its file was removed or replaced, and nothing of
 * that is there any more once the program ends.
 *
 * @returns `lost` resolves once another file, or none, is at the path; `stop` ends the watch
 */
export function watchDatabaseFile(path: string): { lost: Promise<AppError>; stop(): void } {
  const opened = lookAt(path)
  const { promise, resolve } = Promise.withResolvers<AppError>()
  let strange = 0
  const timer = setInterval(() => {
    const now = lookAt(path)
    const isOurs = now === undefined || (now !== null && now.ino === opened?.ino && now.dev === opened.dev)
    // One look may fall into a moment in which somebody renames it and back.
    strange = isOurs ? 0 : strange + 1
    if (strange < 2) return
    clearInterval(timer)
    const what = now === null ? 'removed' : 'replaced'
    resolve(
      new AppError('conflict', `The database ${path} was ${what} while this server had it open.`, {
        hint: "Start the server again with 'lode up': it records what the files of the agent CLIs hold.",
      }),
    )
  }, FILE_LOOK_MS)
  timer.unref()
  return { lost: promise, stop: () => clearInterval(timer) }
}

/** `null` = there is no such file, `undefined` = nobody can tell now: a folder of the network may be away for a moment. */
function lookAt(path: string): Pick<Stats, 'ino' | 'dev'> | null | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return undefined
  }
}
