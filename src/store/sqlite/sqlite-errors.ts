import { SQLiteError } from 'bun:sqlite'
import { AppError, isAppError, toAppError } from '../../domain/errors'

/** Primary result codes (the low byte of `errno`) that mean something to a caller; all others are `internal`. */
const PERM = 3
const BUSY = 5
const LOCKED = 6
const READONLY = 8
const INTERRUPT = 9
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const CONSTRAINT = 19
const NOTADB = 26

/** Extended codes of I/O errors that are a full disk in disguise: a write or truncation that the system cut short. */
const IOERR_WRITE = IOERR | (3 << 8)
const IOERR_SHMSIZE = IOERR | (19 << 8)
const IOERR_FSYNC = IOERR | (4 << 8)

const primaryCode = (error: SQLiteError): number => error.errno & 0xff

/** Another connection holds the lock; trying again may work. */
export const isBusy = (thrown: unknown): boolean =>
  thrown instanceof SQLiteError && (primaryCode(thrown) === BUSY || primaryCode(thrown) === LOCKED)

/**
 * The one place where SQLite's errors become ours, by error number. Anything that is no SQLite error passes through
 * `toAppError`.
 */
export function mapSqliteError(thrown: unknown, path: string): AppError {
  if (isAppError(thrown)) return thrown
  if (!(thrown instanceof SQLiteError)) return toAppError(thrown)
  const details = { path, sqlite: thrown.errno }
  switch (primaryCode(thrown)) {
    case BUSY:
    case LOCKED:
    case INTERRUPT:
      return new AppError('unavailable', 'The database is locked.', { details, cause: thrown })
    case READONLY:
    case PERM:
      return new AppError('storage_readonly', `The database ${path} can't be written.`, {
        hint: 'Check the owner and permissions of the file and its folder.',
        details,
        cause: thrown,
      })
    case CORRUPT:
    case NOTADB:
      return new AppError('storage_corrupt', `The database ${path} is damaged, or it is not a database.`, {
        hint: 'Move the file away, keep it, and start again: transcripts that still exist are recorded again.',
        details,
        cause: thrown,
      })
    case FULL:
      return storageFull(path, details, thrown)
    case IOERR:
      if (thrown.errno === IOERR_WRITE || thrown.errno === IOERR_SHMSIZE || thrown.errno === IOERR_FSYNC) {
        return storageFull(path, details, thrown)
      }
      return new AppError('unavailable', `Reading or writing the database ${path} failed (code ${thrown.errno}).`, {
        hint: 'Check the disk.',
        details,
        cause: thrown,
      })
    case CANTOPEN:
      return new AppError('unavailable', `The database ${path} can't be opened.`, {
        hint: 'Check that the folder exists and that you can read and write it.',
        details,
        cause: thrown,
      })
    case CONSTRAINT:
      return new AppError('conflict', 'A row like this already exists, or a row that it needs does not exist.', {
        details,
        cause: thrown,
      })
    default:
      return new AppError('internal', thrown.message, { details, cause: thrown })
  }
}

const storageFull = (path: string, details: Record<string, unknown>, cause: unknown): AppError =>
  new AppError('storage_full', `No space is left for the database ${path}.`, {
    hint: 'Free some space; nothing that was acknowledged is lost.',
    details,
    cause,
  })
