import type { Kysely } from 'kysely'
import { AppError } from '../../domain/errors'
import type { Schema } from '../sql/tables'

/** Chunks that one query fetches: about 8 MiB of transcript, decompressed one by one. */
const CHUNKS_AT_ONCE = 8

/**
 * The bytes of an incarnation from `from` on, chunk by chunk.
 *
 * Between two fetches nothing is open in the database, however slowly the bytes are taken: an open reader would keep the
 * write-ahead log from being emptied (it grew to 180 MB in a trial).
 *
 * @throws `storage_corrupt`  a chunk does not decompress to its length, or bytes before the stored size are missing.
 */
export async function* readChunks(
  db: Kysely<Schema>,
  incarnation: number,
  from = 0,
  length = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const own = await db
    .selectFrom('incarnations')
    .select(['size', 'restored_from', 'restored_length'])
    .where('id', '=', incarnation)
    .executeTakeFirst()
  if (own === undefined) return
  let at = Math.max(0, from)
  const end = Math.min(own.size, at + length)
  while (at < end) {
    // A file that we restored begins with another incarnation's bytes, which are stored there only.
    const isRestored = own.restored_from !== null && at < own.restored_length
    const source = isRestored && own.restored_from !== null ? own.restored_from : incarnation
    const partEnd = isRestored ? Math.min(end, own.restored_length) : end
    if (isRestored) {
      for await (const bytes of readChunks(db, source, at, partEnd - at)) {
        at += bytes.length
        yield bytes
      }
      if (at < partEnd) throw missingBytes(incarnation, at)
      continue
    }
    const chunks = await chunksFrom(db, incarnation, at)
    if (chunks.length === 0) throw missingBytes(incarnation, at)
    for (const chunk of chunks) {
      if (chunk.offset > at || chunk.offset + chunk.length <= at) throw missingBytes(incarnation, at)
      const body = decompress(chunk, incarnation)
      const part = body.subarray(at - chunk.offset, Math.min(chunk.length, end - chunk.offset))
      at += part.length
      yield part
      if (at >= end) return
    }
  }
}

/** `readChunks` as one array, for short reads. */
export async function readJournalBytes(
  db: Kysely<Schema>,
  incarnation: number,
  from: number,
  length: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of readChunks(db, incarnation, from, length)) parts.push(part)
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

interface Chunk {
  offset: number
  length: number
  body: Uint8Array
}

/** The chunk that holds offset `at`, and some after it. */
function chunksFrom(db: Kysely<Schema>, incarnation: number, at: number): Promise<Chunk[]> {
  return db
    .selectFrom('journal_chunks')
    .select(['offset', 'length', 'body'])
    .where('incarnation_id', '=', incarnation)
    .where('offset', '>=', (eb) =>
      eb
        .selectFrom('journal_chunks as first')
        .select((first) => first.fn.coalesce(first.fn.max('first.offset'), first.val(0)).as('offset'))
        .where('first.incarnation_id', '=', incarnation)
        .where('first.offset', '<=', at),
    )
    .orderBy('offset')
    .limit(CHUNKS_AT_ONCE)
    .execute()
}

function decompress(chunk: Chunk, incarnation: number): Uint8Array {
  let body: Uint8Array
  try {
    body = Bun.zstdDecompressSync(chunk.body)
  } catch (cause) {
    throw damaged(incarnation, chunk.offset, cause)
  }
  if (body.length !== chunk.length) throw damaged(incarnation, chunk.offset)
  return body
}

const damaged = (incarnation: number, offset: number, cause?: unknown): AppError =>
  new AppError('storage_corrupt', `The bytes at offset ${offset} of incarnation ${incarnation} are damaged.`, {
    details: { incarnation, offset },
    cause,
  })

const missingBytes = (incarnation: number, offset: number): AppError =>
  new AppError('storage_corrupt', `The bytes at offset ${offset} of incarnation ${incarnation} are missing.`, {
    details: { incarnation, offset },
  })
