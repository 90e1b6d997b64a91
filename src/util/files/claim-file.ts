/**
 * A file that one of several processes makes: who makes it has the claim. Used where no database can be written, as in hooks.
 *
 * It guarantees on one file system of this machine, also over a crash at any moment:
 * - of all that want the same name, exactly one gets it;
 * - a process that sees the name sees the whole text;
 * - a claim stands until somebody removes the file.
 *
 * It says nothing of other machines: a shared folder may link twice. node:fs and node:path only, since hooks load it.
 */
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface ClaimOptions {
  /** Onto the disk before it is seen: for what must outlive a loss of power. Default: no. */
  isDurable?: boolean
}

/**
 * @param path  its folder exists
 * @returns whether this call made it; `false` = it was there
 * @throws the system's error when the folder can't be written
 */
export function claimFile(path: string, text: string, { isDurable = false }: ClaimOptions = {}): boolean {
  const draft = join(dirname(path), `.${process.pid}-${Math.random().toString(36).slice(2)}`)
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: isDurable })
    linkSync(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
