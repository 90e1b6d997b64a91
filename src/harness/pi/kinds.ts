import { KEPT } from '../../domain/record/kept-text'
import type { KindObservation } from '../../domain/record/observation'
import { clip } from '../json-lines/text'
import type { Entry } from './entry'

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** Types of lines. `message` has a role inside. */
const TYPES = words(`
  session message model_change thinking_level_change usage compaction context_edit branch_summary custom custom_message
  label session_info
`)

const ROLES = words('system user assistant toolResult bashExecution custom branchSummary compactionSummary')

export const isType = (type: string): boolean => TYPES.has(type)

/** The kind of a line: its type, and a message's role after a slash. */
export function kindOf({ type, role }: Entry): KindObservation {
  const [name, isKnown] =
    type === 'message' ? [`message/${role ?? ''}`, role !== undefined && ROLES.has(role)] : [type, TYPES.has(type)]
  return { kind: 'kind', name: clip(name, KEPT.name) || '(none)', isKnown }
}
