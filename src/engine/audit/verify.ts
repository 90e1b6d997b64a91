import { AUDIT_LIMITS, type AuditCheck, type AuditHead, type AuditReads } from '../../domain/audit'
import { problemsAtEnd, problemsOf } from './chain'

/** Lines that are read at once. */
const BATCH = 1_000

/**
 * Reads the whole log and says which lines were changed or are missing.
 *
 * A person with write access to the database can make a whole new chain. Only a hash that was noted elsewhere shows that.
 */
export async function verifyAudit(reads: Pick<AuditReads, 'rowsAfter' | 'head'>): Promise<AuditCheck> {
  const problems: string[] = []
  let last: AuditHead = { number: 0, hash: '' }
  let head = last
  let lines = 0
  for (let isAgain = false; problems.length < AUDIT_LIMITS.problems; ) {
    const rows = await reads.rowsAfter(last.number, BATCH)
    for (const row of rows) {
      problems.push(...problemsOf(row, last))
      last = { number: row.number, hash: row.hash }
    }
    lines += rows.length
    if (rows.length > 0) continue
    // After the lines: it counts each that was read. One that is added in between is looked for once more.
    head = await reads.head()
    if (isAgain || head.number <= last.number) {
      problems.push(...problemsAtEnd(last, head))
      break
    }
    isAgain = true
  }
  return { isWhole: problems.length === 0, lines, head, problems: problems.slice(0, AUDIT_LIMITS.problems) }
}
