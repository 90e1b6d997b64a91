import type { BlobStore } from '../../domain/blob-store'
import type { RipeChunk, SealedChunk } from '../../domain/record/pack-store'
import type { Store } from '../../domain/store'
import { DAY_MS, MINUTE_MS } from '../../domain/time-units'
import { randomHex } from '../../util/crypto'
import { sealBytes } from '../../util/sealed-bytes'
import { unsealChunks } from './unseal'

export interface SealOptions {
  store: Pick<Store, 'packs' | 'write'>
  blobs: BlobStore
  /** A pack is made when this many compressed bytes are ripe. */
  minBytes?: number
  /** And has about this many at most. */
  maxBytes?: number
  /** Milliseconds without growth after which a journal is ripe to its end. */
  quietMs?: number
  /** A pack that nothing lies in is removed after this long: a backup that began before may still need it. */
  keptMs?: number
  /** Ends it between two packs. */
  signal?: AbortSignal
}

export interface Sealed {
  packs: number
  chunks: number
  /** In the packs, and of journals. */
  storedBytes: number
  plainBytes: number
  /** Blobs that nothing needs any more. */
  removed: number
}

const MIN_BYTES = 8 * 1_048_576
const MAX_BYTES = 16 * 1_048_576
const QUIET_MS = 10 * MINUTE_MS
const KEPT_MS = DAY_MS
/** One that died holds the others up this long. */
const CLAIM_MS = 15 * MINUTE_MS
/** Bytes of a journal in one chunk of a pack: what is read of it at least. */
const CHUNK_BYTES = 1_048_576
/** A line a chunk is what live journals have. */
const RIPE_AT_ONCE = 20_000

/**
 * Moves chunks that change no more into packs. In which order things become durable: the pack's row, the blob, then for each chunk of it
 * one unit that takes its former ones out of the database. Wherever this ends early, each chunk lies in exactly one place, and what was put
 * for nothing is removed later.
 *
 * @returns `null` = another server is at it
 * @throws `unavailable` the blobs are away: everything stays where it is
 */
export async function sealPacks(options: SealOptions): Promise<Sealed | null> {
  const { store, blobs, keptMs = KEPT_MS, signal } = options
  const space = await store.write((tx) => tx.packs.claim(CLAIM_MS))
  if (space === null) return null
  const done: Sealed = { packs: 0, chunks: 0, storedBytes: 0, plainBytes: 0, removed: 0 }
  try {
    const wasteful = await store.packs.wasteful()
    await unsealChunks(store, wasteful)
    while (signal?.aborted !== true && (await sealOne(options, space, done))) {}
    done.removed = await removeUnused(store, blobs, space, keptMs)
    return done
  } finally {
    await store.write((tx) => tx.packs.release())
  }
}

async function sealOne({ store, blobs, ...options }: SealOptions, space: string, done: Sealed): Promise<boolean> {
  const { minBytes = MIN_BYTES, maxBytes = MAX_BYTES, quietMs = QUIET_MS } = options
  const ripe = await store.packs.ripe({ quietSince: Date.now() - quietMs, limit: RIPE_AT_ONCE })
  const groups = groupsOf(ripe, maxBytes)
  if (groups.flat().reduce((sum, { stored }) => sum + stored, 0) < minBytes) return false
  const name = `${space}/packs/${randomHex(16)}`
  const pack = await store.write((tx) => tx.packs.begin(name))
  const parts: Uint8Array[] = []
  const made: { chunk: Omit<SealedChunk, 'name'>; of: readonly RipeChunk[]; hash: Uint8Array }[] = []
  let size = 0
  for (const of of groups) {
    const found = await store.packs.bytesOf(of)
    const [first] = of
    if (found === null || first === undefined) continue
    const { key, bytes } = await sealBytes(found.bytes)
    const { incarnation, offset } = first
    const chunk = { incarnation, offset, length: found.bytes.length, pack, place: size, stored: bytes.length, key }
    made.push({ chunk, of, hash: found.hash })
    parts.push(bytes)
    size += bytes.length
  }
  await blobs.put(name, Buffer.concat(parts))
  await store.write((tx) => tx.packs.setSize(pack, size))
  let moved = 0
  for (const { chunk, ...from } of made) {
    if (!(await store.write((tx) => tx.packs.seal(chunk, from), { weight: 'bulk' }))) continue
    moved++
    done.storedBytes += chunk.stored
    done.plainBytes += chunk.length
  }
  done.packs++
  done.chunks += moved
  // Nothing came of it where others changed all of it meanwhile: the next time is soon enough.
  return moved > 0
}

/** Neighbours in a journal, together as long as one chunk of a pack; of all journals as many as one pack takes. */
function groupsOf(ripe: readonly RipeChunk[], maxBytes: number): RipeChunk[][] {
  const groups: RipeChunk[][] = []
  let stored = 0
  let length = 0
  for (const chunk of ripe) {
    const last = groups.at(-1)?.at(-1)
    const isNext = last?.incarnation === chunk.incarnation && last.offset + last.length === chunk.offset
    if (stored + chunk.stored > maxBytes && groups.length > 0) break
    if (isNext && length + chunk.length <= CHUNK_BYTES) groups.at(-1)?.push(chunk)
    else {
      groups.push([chunk])
      length = 0
    }
    length += chunk.length
    stored += chunk.stored
  }
  return groups
}

/**
 * A blob without a row was put by somebody who then died, or its deletion failed. Blobs are listed first: a pack's row is older than its
 * blob, so that one which is being put now is known. Other databases' folders are left alone.
 */
async function removeUnused(
  store: SealOptions['store'],
  blobs: BlobStore,
  space: string,
  keptMs: number,
): Promise<number> {
  const folder = `${space}/packs/`
  const listed: string[] = []
  for await (const { name } of blobs.list(folder)) listed.push(name)
  await store.write((tx) => tx.packs.dropUnused(Date.now() - keptMs))
  const known = await store.packs.names()
  const unused = listed.filter((name) => !known.has(name))
  for (const name of unused) await blobs.delete(name)
  return unused.length
}
