import type { BlobStore } from '../../domain/blob-store'
import type { DatabaseKind, DatabaseSource } from '../../store/copy/copy'
import { openSource } from '../../store/copy/open-copy'
import type { EncryptTo } from '../../util/archive/age-stream'
import { VERSION } from '../../util/version'
import { blobsOf, type DatabaseConfig, placeOf } from '../threads/database'
import { DATABASE_FOLDER, digestsEntry, HOME_FOLDER, headEntry } from './backup-format'
import { blobEntries } from './blob-entries'
import { homeFiles } from './home-files'
import { recordCopy } from './record-copy'
import { writeResumable } from './resumable-archive'
import { UnfinishedNotes } from './unfinished'
import type { ArchiveEntry, EntryDigest } from './write-archive'

export interface MakeBackup {
  config: DatabaseConfig
  /** The backup's file. It must not be there. */
  to: string
  /** Where an unfinished backup is gone on with: what the person named, a file or a folder, absolute. Default: `to`. */
  place?: string
  encryptTo: EncryptTo | null
  signal: AbortSignal
  /** Hears how many bytes an unfinished backup has written already. */
  onResume?: (bytes: number) => void
  /** Hears of an interrupted one how many bytes are kept to be gone on with. */
  onKept?: (bytes: number) => void
}

export interface BackupReport {
  path: string
  /** The size of the file. */
  bytes: number
  isEncrypted: boolean
  database: DatabaseKind
  /** The newest migration of the database. */
  schema: number
  /** Files of Lodeline's folder, beside the database. */
  files: number
  /** What the entries hold, before compression. */
  contentBytes: number
  madeAt: string
}

/**
 * Writes all that Lodeline keeps to one file. A server may run: the database is of one moment, and the files are read after it, so that
 * none has less than the database knows of.
 *
 * A backup that was interrupted is gone on with: it is of the new moment, and what has not changed since is not written again.
 *
 * @throws `conflict` the file is there, or another backup goes there · `not_found` no record yet · `schema_mismatch` · see `writeResumable`
 */
export async function makeBackup({ config, encryptTo, ...options }: MakeBackup): Promise<BackupReport> {
  const { to } = options
  const place = placeOf(config)
  using notes = new UnfinishedNotes(config.home, options.place ?? to)
  await recordCopy(place, 'backup.make', { isEncrypted: encryptTo !== null })
  await using source = await openSource(place)
  const blobs = await blobsOf(config)
  const madeAt = new Date().toISOString()
  let content: readonly EntryDigest[] = []
  const { bytes } = await writeResumable({
    to,
    encryptTo,
    notes,
    signal: options.signal,
    ...(options.onResume && { onResume: options.onResume }),
    ...(options.onKept && { onKept: options.onKept }),
    entries: (digests) => {
      content = digests
      return entriesOf(config.home, source, madeAt, digests, blobs)
    },
  })
  return {
    path: to,
    bytes,
    isEncrypted: encryptTo !== null,
    database: source.kind,
    schema: source.schema,
    files: content.filter(({ name }) => name.startsWith(HOME_FOLDER)).length,
    contentBytes: content.reduce((sum, { size }) => sum + size, 0),
    madeAt,
  }
}

/** All that a backup has, and at its end the digests of what came before. */
export async function* entriesOf(
  home: string,
  source: DatabaseSource,
  madeAt: string,
  digests: readonly EntryDigest[],
  blobs: BlobStore | null = null,
): AsyncGenerator<ArchiveEntry> {
  yield headEntry({ version: VERSION, madeAt, database: source.kind, schema: source.schema })
  for await (const file of homeFiles(home)) yield { ...file, name: HOME_FOLDER + file.name }
  for await (const piece of source.pieces()) yield { ...piece, name: DATABASE_FOLDER + piece.name }
  if (blobs !== null) yield* blobEntries(blobs)
  yield digestsEntry(digests)
}
