import type { AuditEntry } from '../../domain/audit'
import type { Store } from '../../domain/store'
import { addLine } from './record-act'

/** Records acts that change nothing in the database; the others record theirs in their own units. */
export function createAuditService({ store }: { store: Store }) {
  return {
    /** Resolves when the line is durable: the act comes after. */
    record: (entry: AuditEntry): Promise<void> => store.write((tx) => addLine(tx.audit, tx.now, entry)),
  }
}

export type AuditService = ReturnType<typeof createAuditService>
