import type { Kysely } from 'kysely'
import { AppError, isAppError } from '../../domain/errors'
import { selectSealed, toSealed } from '../packs/sealed-chunks'
import type { ReadContext } from '../sql/read-context'
import type { Schema } from '../sql/tables'

/** Chunks that one query fetches: about 8 MiB of transcript, decompressed one by one. */
const CHUNKS_AT_ONCE = 8
/** Looks at one place that find nothing, before it counts as lost. */
const MOST_MOVES = 3

type ChunkContext = Pick<ReadContext, 'db' | 'sealed'>

/**
 * The bytes of an incarnation from `from` on, chunk by chunk.
 *
 * Between two fetches nothing is open in the database, however slowly the bytes are taken: an open reader would keep the
 * write-ahead log from being emptied (it grew to 180 MB in a trial).
 *
 * @throws `storage_corrupt`  a chunk does not decompress to its length, or bytes before the stored size are missing.
 */
export async function* readChunks(
  context: ChunkContext,
  incarnation: number,
  from = 0,
  length = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const { db } = context
  const own = await db
    .selectFrom('incarnations')
    .select(['size', 'restored_from', 'restored_length'])
    .where('id', '=', incarnation)
    .executeTakeFirst()
  if (own === undefined) return
  let at = Math.max(0, from)
  let moved = 0
  const end = Math.min(own.size, at + length)
  while (at < end) {
    // A file that we restored begins with another incarnation's bytes, which are stored there only.
    const isRestored = own.restored_from !== null && at < own.restored_length
    const source = isRestored && own.restored_from !== null ? own.restored_from : incarnation
    const partEnd = isRestored ? Math.min(end, own.restored_length) : end
    if (isRestored) {
      for await (const bytes of readChunks(context, source, at, partEnd - at)) {
        at += bytes.length
        yield bytes
      }
      if (at < partEnd) throw missingBytes(incarnation, at)
      continue
    }
    const from = at
    for await (const { offset, bytes } of storedFrom(context, incarnation, at)) {
      const part = bytes.subarray(at - offset, end - offset)
      at += part.length
      yield part
      if (at >= end) return
    }
    if (at > from) moved = 0
    // It may have been moved into a pack, or out of one, between two looks.
    else if (++moved > MOST_MOVES) throw missingBytes(incarnation, at)
  }
}

/** Some chunks of one place, the first of which holds the byte at `from`: of a pack, or of the database. None where it is in neither. */
async function* storedFrom(
  { db, sealed }: ChunkContext,
  incarnation: number,
  from: number,
): AsyncGenerator<{ offset: number; bytes: Uint8Array }> {
  let at = from
  for (const chunk of (await sealedFrom(db, incarnation, at)).map(toSealed)) {
    if (chunk.offset > at || chunk.offset + chunk.length <= at) break
    const bytes = await sealed.open(chunk).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'not_found') return null
      throw error
    })
    if (bytes === null) return
    at = chunk.offset + chunk.length
    yield { offset: chunk.offset, bytes }
  }
  if (at > from) return
  for (const chunk of await chunksFrom(db, incarnation, at)) {
    if (chunk.offset > at || chunk.offset + chunk.length <= at) return
    at = chunk.offset + chunk.length
    yield { offset: chunk.offset, bytes: decompress(chunk, incarnation) }
  }
}

/** `readChunks` as one array, for short reads. */
export async function readJournalBytes(
  context: ChunkContext,
  incarnation: number,
  from: number,
  length: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of readChunks(context, incarnation, from, length)) parts.push(part)
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

interface Chunk {
  offset: number
  length: number
  body: Uint8Array
}

/** The chunk of a pack that holds offset `at`, if one does, and some after it. */
const sealedFrom = (db: Kysely<Schema>, incarnation: number, at: number) =>
  selectSealed(db)
    .where('c.incarnation_id', '=', incarnation)
    .where((eb) => eb(eb('c.offset', '+', eb.ref('c.length')), '>', at))
    .orderBy('c.offset')
    .limit(CHUNKS_AT_ONCE)
    .execute()

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
