import type { JournalRef } from '../../../domain/harness/harness'
import type { Observation } from '../../../domain/record/observation'
import { isRecord } from '../../json-lines/json-value'
import { documentKind } from '../kinds'
import { parseJson } from '../meta'
import { taskItemOf } from '../tools/todo'

/**
 * A file of `tasks/<list>/`: one item as it stands. A file of `todos/` is the whole list of one agent, emptied once all is
 * done, so it says less than the calls that wrote it and counts for nothing.
 */
export function readTaskFile(bytes: Uint8Array, ref: JournalRef): Observation[] {
  const task = parseJson(bytes)
  if (Array.isArray(task)) return [documentKind('todos', true)]
  const item = isRecord(task) ? taskItemOf(task) : undefined
  if (!item) return [documentKind('task', false)]
  const toolUseId = `file:${ref.path.split(/[/\\]/).slice(-2).join('/')}`.slice(0, 400)
  const seen: Observation = {
    kind: 'todo',
    toolUseId,
    uuid: null,
    subagentId: null,
    at: null,
    change: { op: 'item', ...item },
  }
  // The folder is a session's, or a list's that sessions share.
  if (ref.sessionId === null) seen.nativeList = ref.path.split(/[/\\]/).at(-2) ?? ''
  return [documentKind('task', true), seen]
}
