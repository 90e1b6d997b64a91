import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { AppError } from '../../domain/errors'
import type { DatabaseSource, DatabaseTarget } from '../copy/copy'
import { migrateUp, requireKnown } from '../sql/migrator'
import { openSqlite } from './sqlite-connection'
import { mapSqliteError } from './sqlite-errors'
import { readApplied, sqliteMigrationTarget } from './sqlite-migration'

const MAIN = 'lodeline.db'
const LOG = 'lodeline.db-wal'
/** Says that the log before it is of no use. */
const NO_LOG = 'lodeline.db-wal.void'
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
        yield { name: MAIN, size, bytes: readAll(main, size) }
        const log = await openPart(`${path}-wal`).catch(() => null)
        if (log === null) return
        const head = await headOf(log)
        const { size: logSize } = await log.stat()
        if (logSize <= LOG_HEAD_BYTES) return
        yield { name: LOG, size: logSize, bytes: readAll(log, logSize) }
        if (!(await headOf(log)).equals(head)) yield { name: NO_LOG, size: 0, bytes: readAll(log, 0) }
      },
      [Symbol.asyncDispose]: end,
    }
  } catch (thrown) {
    await end()
    throw mapSqliteError(thrown, path)
  }
}

/** A file that comes piece by piece. Nobody else may know of it before `commit`. */
export function sqliteTarget(path: string): DatabaseTarget {
  const made: string[] = []
  let isCommitted = false
  return {
    kind: 'sqlite',
    async begin(schema) {
      requireKnown([{ number: schema }])
      if ((await lstat(path).catch(() => null)) !== null)
        throw new AppError('conflict', `The database ${path} already exists.`)
    },
    async add({ name, bytes }) {
      if (name === NO_LOG) return await rm(`${path}-wal`, { force: true })
      if (name !== MAIN && name !== LOG)
        throw new AppError('invalid', `The backup contains ${JSON.stringify(name.slice(0, 100))}, which is no file of a SQLite database.`)
      const to = name === MAIN ? path : `${path}-wal`
      const file = await open(to, 'wx', 0o600)
      made.push(to)
      try {
        for await (const part of bytes) await file.writeFile(part)
        await file.sync()
      } finally {
        await file.close()
      }
    },
    async commit() {
      const connection = openSqlite(path, { role: 'write' })
      try {
        const problem = connection.get<{ quick_check: string }>('pragma quick_check(1)')?.quick_check
        if (problem !== 'ok') throw new AppError('storage_corrupt', `The copied database is damaged: ${problem}.`)
        await migrateUp(sqliteMigrationTarget(connection))
        connection.exec('pragma wal_checkpoint(truncate)')
        isCommitted = true
      } catch (thrown) {
        throw mapSqliteError(thrown, path)
      } finally {
        connection.close()
      }
    },
    async [Symbol.asyncDispose]() {
      if (!isCommitted) for (const file of [...made, `${path}-shm`]) await rm(file, { force: true })
    },
  }
}

async function headOf(log: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(LOG_HEAD_BYTES)
  await log.read(head, 0, head.length, 0)
  return head
}

/** `size` bytes. A log that was cut off meanwhile is made up with zeros: it has begun anew. */
async function* readAll(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const part = Buffer.alloc(Math.min(READ_BYTES, size - at))
    await file.read(part, 0, part.length, at)
    yield part
    at += part.length
  }
}
