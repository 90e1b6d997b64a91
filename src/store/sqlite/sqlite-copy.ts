import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { AppError } from '../../domain/errors'
import type { CopyPiece, DatabaseSource, DatabaseTarget } from '../copy/copy'
import { beginEpoch } from '../migrations/database/0164-epoch'
import { sqliteWords } from '../migrations/words'
import { migrateUp, requireKnown } from '../sql/migrator'
import { openSqlite } from './sqlite-connection'
import { mapSqliteError } from './sqlite-errors'
import { readApplied, sqliteMigrationTarget } from './sqlite-migration'

const MAIN = 'lodeline.db'
const LOG = 'lodeline.db-wal'
/** Says that the log before it is of no use. */
const NO_LOG = 'lodeline.db-wal.void'
/** Bytes of a piece of a file. The number in a piece's name counts these: it never changes. */
const PIECE_BYTES = 8 * 1_048_576
/** Bytes read at once. */
const READ_BYTES = 1_048_576
/** The head of a write-ahead log: it changes when the log begins anew. */
const LOG_HEAD_BYTES = 32

/**
 * A SQLite file as it is now, byte for byte: its full-text index keeps no text from which it could be made again, and a copy in SQLite's
 * own ways would need a file or memory for all of it.
 *
 * A read transaction pins the moment. While it is open, a checkpoint moves pages of that moment from the log to the file and none that
 * are newer, and the log does not begin anew under a reader that needs it. So the file and the log, read one after the other, are that
 * moment or a later commit: what a checkpoint wrote to the file meanwhile is in the log as well. Where the log began anew while it was
 * read, the reader did not need it: no checkpoint ran, and the file alone is the moment.
 */
export async function sqliteSource(path: string): Promise<DatabaseSource> {
  const connection = openSqlite(path, { role: 'read' })
  const files: FileHandle[] = []
  const end = async (): Promise<void> => {
    connection.close()
    // Only now: to close a file of the database takes away the locks that this process has on it.
    for (const file of files) await file.close()
  }
  const openPart = async (name: string): Promise<FileHandle> => {
    const file = await open(name, constants.O_RDONLY | constants.O_NOFOLLOW)
    files.push(file)
    return file
  }
  try {
    connection.exec('begin')
    const schema = requireKnown(readApplied(connection) ?? [])
    const main = await openPart(path)
    return {
      kind: 'sqlite',
      schema,
      async *pieces() {
        const { size } = await main.stat()
        yield* piecesOf(main, MAIN, size)
        const log = await openPart(`${path}-wal`).catch(() => null)
        if (log === null) return
        const head = await headOf(log)
        const { size: logSize } = await log.stat()
        if (logSize <= LOG_HEAD_BYTES) return
        yield* piecesOf(log, LOG, logSize)
        if (!(await headOf(log)).equals(head)) yield { name: NO_LOG, size: 0, bytes: readPart(log, 0, 0) }
      },
      [Symbol.asyncDispose]: end,
    }
  } catch (thrown) {
    await end()
    throw mapSqliteError(thrown, path)
  }
}

/** A file that comes piece by piece, in any order. Nobody else may know of it before `commit`. */
export function sqliteTarget(path: string): DatabaseTarget {
  const made: string[] = []
  const files = new Map<string, FileHandle>()
  let isLogVoid = false
  let isCommitted = false
  const fileAt = async (to: string): Promise<FileHandle> => {
    const known = files.get(to)
    if (known !== undefined) return known
    const file = await open(to, 'wx', 0o600)
    made.push(to)
    files.set(to, file)
    return file
  }
  const closeAll = async (): Promise<void> => {
    for (const file of files.values()) await file.close()
    files.clear()
  }
  return {
    kind: 'sqlite',
    async begin(schema) {
      requireKnown([{ number: schema }])
      if ((await lstat(path).catch(() => null)) !== null)
        throw new AppError('conflict', `The database ${path} already exists.`)
    },
    async add({ name, bytes }) {
      const [, file, number = '0'] = PIECE_NAME.exec(name) ?? []
      if (name === NO_LOG) isLogVoid = true
      else if (file === undefined)
        throw new AppError(
          'invalid',
          `The backup contains ${JSON.stringify(name.slice(0, 100))}, which is no file of a SQLite database.`,
        )
      else await writeAt(await fileAt(file === MAIN ? path : `${path}-wal`), Number(number) * PIECE_BYTES, bytes)
    },
    async commit() {
      for (const file of files.values()) await file.sync()
      await closeAll()
      if (isLogVoid) await rm(`${path}-wal`, { force: true })
      const connection = openSqlite(path, { role: 'write' })
      try {
        const problem = connection.get<{ quick_check: string }>('pragma quick_check(1)')?.quick_check
        if (problem !== 'ok') throw new AppError('storage_corrupt', `The copied database is damaged: ${problem}.`)
        await migrateUp(sqliteMigrationTarget(connection))
        connection.exec(beginEpoch(sqliteWords))
        connection.exec('pragma wal_checkpoint(truncate)')
        isCommitted = true
      } catch (thrown) {
        throw mapSqliteError(thrown, path)
      } finally {
        connection.close()
      }
    },
    async [Symbol.asyncDispose]() {
      await closeAll()
      if (!isCommitted) for (const file of [...made, `${path}-shm`]) await rm(file, { force: true })
    },
  }
}

async function headOf(log: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(LOG_HEAD_BYTES)
  await log.read(head, 0, head.length, 0)
  return head
}

/** `lodeline.db/00000000` and so on. Where a database is one piece, it has no number. */
const PIECE_NAME = new RegExp(`^(${MAIN}|${LOG})(?:/(\\d{8}))?$`)

function* piecesOf(file: FileHandle, name: string, size: number): Generator<CopyPiece> {
  for (let number = 0; number * PIECE_BYTES < size; number++) {
    const start = number * PIECE_BYTES
    const end = Math.min(size, start + PIECE_BYTES)
    yield { name: `${name}/${String(number).padStart(8, '0')}`, size: end - start, bytes: readPart(file, start, end) }
  }
}

/** A log that was cut off meanwhile is made up with zeros: it has begun anew. */
async function* readPart(file: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const part = Buffer.alloc(Math.min(READ_BYTES, end - at))
    await file.read(part, 0, part.length, at)
    yield part
    at += part.length
  }
}

async function writeAt(file: FileHandle, start: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let at = start
  for await (const part of bytes)
    for (let done = 0; done < part.length; ) {
      const { bytesWritten } = await file.write(part, done, part.length - done, at)
      done += bytesWritten
      at += bytesWritten
    }
}
