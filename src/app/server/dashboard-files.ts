import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Dashboard } from '../../api/server/dashboard'
import { isCompiled } from '../../util/thread-url'
import { readPack } from './dashboard-pack'

/** Where `scripts/build-web.ts` leaves the pages for those who run the source. */
const BUILT = join(import.meta.dir, '../../../dist/dashboard.pack')

/** The pages' files: those in the executable, and from source what was built last. Nothing is read before a browser comes. */
export function createDashboardFiles(): Dashboard {
  return isCompiled ? packAt(embeddedPath, () => '') : packAt(async () => BUILT, stampOf)
}

/**
 * The files of a pack, half a megabyte, kept in memory from the first request on.
 *
 * @param stampAt  says of a path whether something else stands there now; `null` = nothing
 */
export function packAt(pathOf: () => Promise<string>, stampAt: (path: string) => string | null): Dashboard {
  let kept: { stamp: string; files: ReturnType<typeof load> } | undefined
  return {
    async find(name) {
      const path = await pathOf()
      const stamp = stampAt(path)
      if (stamp === null) return null
      if (kept?.stamp !== stamp) kept = { stamp, files: load(path) }
      return (await kept.files)?.get(name) ?? null
    },
  }
}

const load = async (path: string) => readPack(await Bun.file(path).bytes())

/** Loaded here and not with the module: from source there may be no such file. */
async function embeddedPath(): Promise<string> {
  const { default: path } = await import('../../../dist/dashboard.pack', { with: { type: 'file' } })
  return path
}

/** A build while the server runs replaces the file. */
export function stampOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.ino} ${found.mtimeMs} ${found.size}`
}
