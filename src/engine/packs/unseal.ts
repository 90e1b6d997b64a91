import { isAppError } from '../../domain/errors'
import type { SealedChunk } from '../../domain/record/pack-store'
import type { Store } from '../../domain/store'

/**
 * Brings chunks back from their packs into the database, where they can be changed. What lies elsewhere by now is left alone.
 *
 * @throws `unavailable` `storage_corrupt`
 */
export async function unsealChunks(
  store: Pick<Store, 'packs' | 'write'>,
  chunks: readonly SealedChunk[],
): Promise<void> {
  for (const chunk of chunks) {
    const bytes = await store.packs.open(chunk).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'not_found') return null
      throw error
    })
    if (bytes !== null) await store.write((tx) => tx.packs.unseal(chunk, bytes), { weight: 'bulk' })
  }
}
