import { gunzipSync } from 'node:zlib'
import * as z from 'zod/mini'
import type { DashboardFile } from '../../api/server/dashboard'

/** The pages' files in one, by which they are embedded in the executable. */
export const PACK_MAGIC = 'lodeline dashboard 1\n'

/**
 * What a pack begins with, after the magic and its own length (4 bytes, big-endian): where each file's bytes stand, counted from the end of
 * this. A file is there as it is (`plain`), or twice compressed; then it is unpacked for the rare client that takes neither.
 */
const PackIndex = z.array(
  z.object({
    path: z.string(),
    type: z.string(),
    hash: z.string(),
    parts: z.array(z.object({ as: z.enum(['br', 'gzip', 'plain']), at: z.int(), length: z.int() })),
  }),
)
export type PackIndex = z.infer<typeof PackIndex>

/** The files of a pack by their paths; `null` when it is none, or of another version. */
export function readPack(pack: Uint8Array): ReadonlyMap<string, DashboardFile> | null {
  const start = PACK_MAGIC.length + 4
  const text = (from: number, to: number) => new TextDecoder().decode(pack.subarray(from, to))
  if (pack.length < start || text(0, PACK_MAGIC.length) !== PACK_MAGIC) return null
  const data = start + new DataView(pack.buffer, pack.byteOffset).getUint32(PACK_MAGIC.length)
  const index = PackIndex.parse(JSON.parse(text(start, data)))
  return new Map(index.map((entry) => [entry.path, fileOf(entry, pack.subarray(data))]))
}

function fileOf({ type, hash, parts }: PackIndex[number], data: Uint8Array): DashboardFile {
  const bytesAs = (as: PackIndex[number]['parts'][number]['as']): Uint8Array | undefined => {
    const part = parts.find((each) => each.as === as)
    return part && data.subarray(part.at, part.at + part.length)
  }
  return {
    type,
    hash,
    encodings: parts.flatMap(({ as }) => (as === 'plain' ? [] : [as])),
    bytes: (encoding) =>
      bytesAs(encoding ?? 'plain') ?? new Uint8Array(gunzipSync(bytesAs('gzip') ?? new Uint8Array(0))),
  }
}
