import type { BlobStore } from '../../domain/blob-store'
import { isAppError } from '../../domain/errors'
import type { PackReads } from '../../domain/record/pack-store'

type Pack = Awaited<ReturnType<PackReads['inUse']>>[number]

/** Sessions that a sentence names. */
const MOST_NAMED = 5

/**
 * Reads all that lies in packs.
 *
 * @param blobs  `null` = no setting says where packs are
 * @returns what is wrong, a sentence for each pack
 * @throws `unavailable` the blobs are away: nothing is known of them
 */
export async function checkPacks(packs: PackReads, blobs: BlobStore | null): Promise<string[]> {
  const problems: string[] = []
  for (const pack of await packs.inUse()) {
    const fault =
      blobs === null ? 'can not be read: the setting `blobs` names no storage' : await faultOf(pack, packs, blobs)
    if (fault === null) continue
    const sessions = await packs.sessionsOf(pack.pack)
    // A server may have packed it anew since, and removed it.
    if (sessions.length > 0) problems.push(`pack ${pack.name} ${fault}; ${partsOf(sessions)}`)
  }
  return problems
}

async function faultOf({ pack, name, size }: Pack, packs: PackReads, blobs: BlobStore): Promise<string | null> {
  const there = await blobs.head(name)
  if (there === undefined) return `is missing in ${blobs.location}`
  const chunks = await packs.chunksOf(pack)
  let damaged = 0
  for (const chunk of chunks) {
    try {
      await packs.open(chunk)
    } catch (error) {
      if (!isAppError(error) || !['not_found', 'storage_corrupt'].includes(error.code)) throw error
      damaged++
    }
  }
  if (damaged > 0) return `is damaged: of ${chunks.length} chunks in it ${damaged} can not be read`
  return there.size === size ? null : `has ${there.size} bytes instead of ${size}`
}

function partsOf(sessions: readonly string[]): string {
  const named = sessions.slice(0, MOST_NAMED).join(', ')
  const more = sessions.length > MOST_NAMED ? ` and ${sessions.length - MOST_NAMED} more` : ''
  return `it has lines of ${sessions.length === 1 ? 'session' : 'sessions'} ${named}${more}. Restore it from a backup.`
}
