import type { AuditAct, AuditDetail } from '../../domain/audit'
import { createAuditService } from '../../engine/audit/audit-service'
import { openStore, type StorePlace } from '../../store/open'

/**
 * Records that somebody on this machine copied the whole record, or brought a copy back: a person who may do that has the rights of the
 * operator. Before a backup, so that the line is in it; after a restore, in the restored log.
 */
export async function recordCopy(
  place: StorePlace,
  act: Extract<AuditAct, `backup.${string}`>,
  detail: AuditDetail,
): Promise<void> {
  const store = await openStore({ ...place, mode: 'read-write' })
  try {
    // The original may be at work, and deletes what its own folder of blobs holds.
    if (act === 'backup.restore') await store.write((tx) => tx.packs.leaveSpace())
    const actor = { kind: 'operator', name: null, peer: null }
    await createAuditService({ store }).record({ act, actor, target: null, detail })
  } finally {
    await store.close()
  }
}
