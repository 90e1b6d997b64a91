import * as z from 'zod/mini'
import { AppError } from '../../domain/errors'
import type { ArchiveEntry, EntryDigest } from './write-archive'

/** The first entry of a backup: what it is. One that was gone on with has a later one that counts instead. */
export const HEAD_NAME = 'backup.json'
/** The last entry: what each one before holds, of those that count. An archive without it was not written whole. */
export const DIGESTS_NAME = 'checksums.json'
/** Where the files of Lodeline's folder are, and the pieces of the database. */
export const HOME_FOLDER = 'home/'
export const DATABASE_FOLDER = 'database/'
/** And what lies in the blob store. */
export const PACKS_FOLDER = 'blobs/'
/** Bytes of either of the two; more is no backup of ours. */
const MAX_JSON_BYTES = 512 * 1_048_576

const Head = z.strictObject({
  format: z.literal('lodeline-backup'),
  /** The version of this layout: 1 = every entry counts, and an embedded database is one. */
  layout: z.union([z.literal(1), z.literal(2)]),
  /** The program that made it. */
  version: z.string(),
  /** ISO 8601. */
  madeAt: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  /** The newest migration of the database. */
  schema: z.int(),
})
export type BackupHead = z.infer<typeof Head>

const Digests = z.strictObject({
  entries: z.array(z.strictObject({ name: z.string(), size: z.int(), sha256: z.string() })),
})

export const headEntry = (head: Omit<BackupHead, 'format' | 'layout'>): ArchiveEntry =>
  jsonEntry(HEAD_NAME, { format: 'lodeline-backup', layout: 2, ...head })

export const digestsEntry = (entries: readonly EntryDigest[]): ArchiveEntry => jsonEntry(DIGESTS_NAME, { entries })

/** @throws `invalid` */
export async function readHead(entry: ArchiveEntry): Promise<BackupHead> {
  const found = entry.name === HEAD_NAME ? Head.safeParse(await readJson(entry)) : undefined
  if (found?.success) return found.data
  throw new AppError('invalid', 'The archive is no backup that this version of Lodeline knows.', {
    hint: 'Update Lodeline, or name another file.',
  })
}

/** @throws `invalid` */
export async function readDigests(entry: ArchiveEntry): Promise<EntryDigest[]> {
  const found = Digests.safeParse(await readJson(entry))
  if (found.success) return found.data.entries
  throw new AppError('invalid', 'The checksums of the backup can not be read.')
}

function jsonEntry(name: string, value: object): ArchiveEntry {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
  return {
    name,
    size: bytes.length,
    bytes: (async function* () {
      yield bytes
    })(),
  }
}

async function readJson({ size, bytes }: ArchiveEntry): Promise<unknown> {
  if (size > MAX_JSON_BYTES) return undefined
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    return undefined
  }
}
