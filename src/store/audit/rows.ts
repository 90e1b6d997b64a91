import type { AuditRow } from '../../domain/audit'
import { columnsOf } from '../sql/columns'

export const AUDIT_LINE = columnsOf<AuditRow>()('audit_lines', { named: {}, kept: {}, without: [] })
