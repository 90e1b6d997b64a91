import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BlobStore } from '../../domain/blob-store'
import { AppError } from '../../domain/errors'
import type { DatabaseTarget } from '../../store/copy/copy'
import { openTarget } from '../../store/copy/open-copy'
import type { OpenWith } from '../../util/archive/age-stream'
import { randomHex } from '../../util/crypto'
import { diskFault } from '../../util/files/disk-fault'
import { blobsOf, type DatabaseConfig, placeOf } from '../threads/database'
import {
  type BackupHead,
  DATABASE_FOLDER,
  DIGESTS_NAME,
  HEAD_NAME,
  HOME_FOLDER,
  PACKS_FOLDER,
  readDigests,
  readHead,
} from './backup-format'
import { putEntry } from './blob-entries'
import { homePlace } from './home-files'
import { damaged, readArchive, readError } from './read-archive'
import { recordCopy } from './record-copy'
import type { ArchiveEntry, EntryDigest } from './write-archive'

export interface RestoreBackup {
  /** The backup's file. */
  from: string
  /** Where to: a folder that is not there or empty, and an empty database. */
  config: DatabaseConfig
  keys: OpenWith
  signal: AbortSignal
}

export interface RestoreReport extends Pick<BackupHead, 'version' | 'madeAt' | 'database'> {
  home: string
  files: number
  contentBytes: number
}

/**
 * Brings a backup back. The whole archive is read and checked first. Then everything is made beside its place, and put in place by one
 * rename: after a failure or a kill there is no half of it.
 *
 * @throws `conflict` the folder or the database is not empty · `invalid` the archive is damaged or closed, or of the other kind of
 *   database · `schema_mismatch` it is newer than this program
 */
export async function restoreBackup({ from, config, keys, signal }: RestoreBackup): Promise<RestoreReport> {
  const { home } = config
  await refuseFull(home)
  const checked = await checkArchive(from, keys, signal)
  const kind = config.databaseUrl === null ? 'sqlite' : 'postgres'
  if (checked.head.database !== kind) throw otherKind(checked.head.database)
  const staging = `${home}.restoring-${randomHex(6)}`
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 })
    const place = placeOf({ ...config, home: staging })
    {
      await using target = await openTarget(place)
      await target.begin(checked.head.schema)
      const blobs = await blobsOf({ ...config, home: staging })
      await unpack(readArchive(from, keys), checked, { target, staging, blobs }, signal)
      await target.commit().catch((error: unknown) => {
        throw readError(error, from)
      })
    }
    const { version, madeAt } = checked.head
    await recordCopy(place, 'backup.restore', { version, madeAt })
    await rmdir(home).catch(() => {})
    await mkdir(dirname(home), { recursive: true })
    await rename(staging, home)
  } catch (error) {
    throw inTheWay(error, home)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  const { version, madeAt, database } = checked.head
  const current = checked.digests.filter((_, place) => checked.current.has(place))
  const files = current.filter(({ name }) => name.startsWith(HOME_FOLDER)).length
  return {
    home,
    version,
    madeAt,
    database,
    files,
    contentBytes: current.reduce((sum, { size }) => sum + size, 0),
  }
}

interface CheckedArchive {
  head: BackupHead
  /** Every entry but the last, in their order. */
  digests: EntryDigest[]
  /** Places in `digests` of what counts: an interrupted backup that was gone on with holds what has changed since, too. */
  current: ReadonlySet<number>
}

/** Reads the archive to its end. @throws `invalid` it is not what was written */
async function checkArchive(from: string, keys: OpenWith, signal: AbortSignal): Promise<CheckedArchive> {
  const digests: EntryDigest[] = []
  let head: BackupHead | undefined
  let told: EntryDigest[] | undefined
  for await (const entry of readArchive(from, keys)) {
    signal.throwIfAborted()
    if (told !== undefined) throw damaged(from)
    if (entry.name === DIGESTS_NAME) told = await readDigests(entry)
    else {
      const hashed = hashedEntry(entry, digests)
      // Each begins with one, and so does what was added to one; the last is that of the whole.
      if (head === undefined || entry.name === HEAD_NAME) head = await readHead(hashed)
      else for await (const _ of hashed.bytes) signal.throwIfAborted()
    }
  }
  const current = told && placesOf(told, digests)
  if (head === undefined || !current) throw damaged(from)
  return { head, digests, current }
}

/** Where each entry of a list is among those that were read; `null` = one is missing. */
function placesOf(told: readonly EntryDigest[], read: readonly EntryDigest[]): Set<number> | null {
  const places = new Map(read.map((entry, place) => [JSON.stringify(entry), place]))
  const found = told.map(({ name, size, sha256 }) => places.get(JSON.stringify({ name, size, sha256 })))
  return found.every((place) => place !== undefined) ? new Set(found) : null
}

interface Destination {
  target: DatabaseTarget
  staging: string
  blobs: BlobStore | null
}

/** The file may have changed since it was checked: what comes is compared again before anything is put in place. */
async function unpack(
  entries: AsyncIterable<ArchiveEntry>,
  checked: CheckedArchive,
  { target, staging, blobs }: Destination,
  signal: AbortSignal,
): Promise<void> {
  const digests: EntryDigest[] = []
  for await (const entry of entries) {
    signal.throwIfAborted()
    if (entry.name === DIGESTS_NAME) {
      await readDigests(entry)
      continue
    }
    const isCurrent = checked.current.has(digests.length)
    const hashed = hashedEntry(entry, digests)
    if (isCurrent && entry.name.startsWith(DATABASE_FOLDER))
      await target.add({ ...hashed, name: entry.name.slice(DATABASE_FOLDER.length) })
    else if (isCurrent && entry.name.startsWith(PACKS_FOLDER)) await putEntry(blobs, hashed)
    else if (isCurrent && entry.name.startsWith(HOME_FOLDER))
      await writeFile(homePlace(staging, entry.name.slice(HOME_FOLDER.length)), hashed.bytes)
    else if (entry.name === HEAD_NAME) await readHead(hashed)
    else if (isCurrent)
      throw new AppError('invalid', `The backup holds something unknown: ${JSON.stringify(entry.name)}.`)
    else for await (const _ of hashed.bytes) signal.throwIfAborted()
  }
  if (!isSame(digests, checked.digests))
    throw new AppError('conflict', 'The backup changed while it was read.', { hint: 'Try again.' })
}

/** The same entry, whose digest is added to `digests` when it was read to its end. */
function hashedEntry({ name, size, bytes }: ArchiveEntry, digests: EntryDigest[]): ArchiveEntry {
  const hash = new Bun.CryptoHasher('sha256')
  return {
    name,
    size,
    bytes: (async function* () {
      for await (const part of bytes) {
        hash.update(part)
        yield part
      }
      digests.push({ name, size, sha256: hash.digest('hex') })
    })(),
  }
}

const isSame = (a: readonly EntryDigest[], b: readonly EntryDigest[]): boolean =>
  a.length === b.length &&
  a.every(({ name, size, sha256 }, i) => name === b[i]?.name && size === b[i]?.size && sha256 === b[i]?.sha256)

async function writeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const part of bytes) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function refuseFull(home: string): Promise<void> {
  const stat = await lstat(home).catch(() => null)
  if (stat === null) return
  const names = stat.isDirectory() ? await readdir(home) : []
  if (stat.isDirectory() && names.length === 0) return
  throw new AppError('conflict', `Lodeline's folder ${home} is not empty.`, {
    hint: 'Name a missing or empty folder with --home DIR, or move this one away first.',
  })
}

const otherKind = (kind: BackupHead['database']): AppError =>
  kind === 'postgres'
    ? new AppError('invalid', 'The backup holds a PostgreSQL database.', {
        hint: 'Name an empty PostgreSQL database with LODELINE_DATABASE_URL.',
      })
    : new AppError('invalid', 'The backup holds an embedded SQLite database.', {
        hint: 'Unset LODELINE_DATABASE_URL. A record can not change its kind of database by a backup.',
      })

function inTheWay(error: unknown, home: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'ENOTDIR')
    return new AppError('conflict', `Something was put into ${join(home, '')} meanwhile.`, { hint: 'Try again.' })
  if (diskFault(error) === 'storage_full') return new AppError('storage_full', `No space is left for ${home}.`)
  return error
}
