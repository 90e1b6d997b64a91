import { writeFileSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import { diskFault } from '../../util/files/disk-fault'

/** Writes a file that somebody named. @throws `storage_full`, `storage_readonly` */
export function writeText(path: string, text: string, mode = 0o666): void {
  try {
    writeFileSync(path, text, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new AppError(diskFault(error) ?? 'storage_readonly', `Can't write ${path} (${code}).`)
  }
}
