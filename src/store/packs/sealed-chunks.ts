import type { Kysely } from 'kysely'
import type { BlobStore } from '../../domain/blob-store'
import { AppError, isAppError } from '../../domain/errors'
import { incarnationKey } from '../../domain/ids'
import type { PackKey, SealedChunk } from '../../domain/record/pack-store'
import { openBytes } from '../../util/sealed-bytes'
import type { Schema } from '../sql/tables'

export const selectSealed = (db: Kysely<Schema>) =>
  db
    .selectFrom('sealed_chunks as c')
    .innerJoin('packs as p', 'p.id', 'c.pack_id')
    .select(['c.incarnation_id', 'c.offset', 'c.length', 'c.pack_id', 'c.place', 'c.stored', 'c.key', 'p.name'])

type SealedRow = Awaited<ReturnType<ReturnType<typeof selectSealed>['execute']>>[number]

export const toSealed = ({ incarnation_id, offset, length, pack_id, ...rest }: SealedRow): SealedChunk => ({
  incarnation: incarnationKey(incarnation_id),
  offset,
  length,
  pack: pack_id as PackKey,
  ...rest,
})

/** Chunks in memory: a page of a conversation reads the same one again and again. */
const KEPT_CHUNKS = 8

/** Opens chunks that lie in packs. */
export class SealedReader {
  readonly #blobs: () => Promise<BlobStore>
  readonly #kept = new Map<string, Uint8Array>()

  /** @param blobs  asked for at the first use: most commands read nothing of a pack */
  constructor(blobs: () => Promise<BlobStore>) {
    this.#blobs = blobs
  }

  /**
   * @throws `not_found` the pack is gone: the chunk lies elsewhere by now · `storage_corrupt` · `unavailable`
   */
  async open(chunk: SealedChunk): Promise<Uint8Array> {
    const id = `${chunk.pack} ${chunk.place}`
    const kept = this.#kept.get(id)
    if (kept !== undefined) return kept
    const bytes = await this.#read(chunk)
    this.#kept.set(id, bytes)
    for (const oldest of this.#kept.keys()) if (this.#kept.size > KEPT_CHUNKS) this.#kept.delete(oldest)
    return bytes
  }

  async #read({ name, place, stored, key, length, incarnation, offset }: SealedChunk): Promise<Uint8Array> {
    const sealed = await (await this.#blobs()).read(name, place, stored)
    try {
      const bytes = await openBytes(key, sealed)
      if (bytes.length === length) return bytes
    } catch (cause) {
      if (isAppError(cause)) throw cause
    }
    throw new AppError('storage_corrupt', `The bytes at offset ${offset} of incarnation ${incarnation} are damaged.`, {
      details: { incarnation, offset, pack: name, place },
    })
  }
}
