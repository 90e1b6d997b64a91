import { writeFileSync } from 'node:fs'
import { AppError } from '../../domain/errors'

/** Writes a file that somebody named. @throws `storage_full`, `storage_readonly` */
export function writeText(path: string, text: string, mode = 0o666): void {
  try {
    writeFileSync(path, text, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isFull = code === 'ENOSPC' || code === 'EDQUOT'
    throw new AppError(isFull ? 'storage_full' : 'storage_readonly', `Can't write ${path} (${code}).`)
  }
}
