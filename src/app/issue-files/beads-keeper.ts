/** Which program keeps the issues of a `.beads` folder. Newer releases of bd keep them in a database; the file beside it is an export. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Databases of releases from 0.50 on, as folders in `.beads`. Git does not carry them, so a clone may have none of them. */
const DOLT_FOLDERS = ['embeddeddolt', 'dolt', '.dolt']
/** Names of backends in `metadata.json` beside which the file of issues is what counts. */
const FILE_BACKENDS = new Set(['', 'sqlite', 'jsonl', 'json', 'none', 'no-db'])
/** Both files hold a line or a few fields. */
const MAX_BYTES = 65_536

/** What keeps the issues of this `.beads` folder instead of its file, e.g. `Dolt`; `null` = the file itself does. */
export function databaseOf(beads: string): string | null {
  const backend = backendOf(beads)
  if (backend !== null && !FILE_BACKENDS.has(backend)) return backend === 'dolt' ? 'Dolt' : backend
  // What made the database may not have said so: 0.50 wrote no backend.
  return DOLT_FOLDERS.some((name) => isFolder(join(beads, name))) ? 'Dolt' : null
}

/**
 * The folder that a `.beads/redirect` leads to: one line, a path, relative to the project's folder. Work trees share one tracker by it.
 * One step is followed, as bd does. The same folder where there is none.
 */
export function redirected(beads: string): string {
  const [line = ''] = (readSmall(join(beads, 'redirect')) ?? '')
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('#'))
  if (line === '' || line.includes('\0')) return beads
  return [resolve(dirname(beads), line), resolve(beads, line)].find((path) => isBeads(path)) ?? beads
}

/** A project's folder may come from anybody: it leads to folders of bd alone. */
const isBeads = (path: string): boolean => basename(path) === '.beads' && isFolder(path)

function backendOf(beads: string): string | null {
  try {
    const metadata: unknown = JSON.parse(readSmall(join(beads, 'metadata.json')) ?? 'null')
    if (typeof metadata !== 'object' || metadata === null) return null
    const fields = metadata as Record<string, unknown>
    if (typeof fields.backend === 'string' && fields.backend !== '') return fields.backend.toLowerCase().slice(0, 50)
    // Also said so: the database's name, and what only a server or an embedded Dolt has.
    const isDolt =
      fields.database === 'dolt' || Object.keys(fields).some((key) => key.startsWith('dolt_') && fields[key] != null)
    return isDolt ? 'dolt' : null
  } catch {
    return null
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Never waits and never reads much. `null` = there is no such file. */
function readSmall(path: string): string | null {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    if (!fstatSync(file).isFile()) return null
    const bytes = Buffer.alloc(MAX_BYTES)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  } catch {
    return null
  } finally {
    closeSync(file)
  }
}
