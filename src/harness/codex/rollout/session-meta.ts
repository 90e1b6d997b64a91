import type { JsonRecord } from '../../json-lines/json-value'
import { countOf, recordOf, uuidOf } from '../../json-lines/json-value'

/** Who launched a thread. */
export interface Lineage {
  /** The thread whose tool call launched it; `null` = a person or a program began it. */
  parent: string | null
  /** The thread at the top, where the line names it: releases before 0.147 do not. */
  root: string | null
  /** 1 = launched by the thread at the top; `null` = not said. */
  depth: number | null
}

/** What a rollout's first line says of its lineage; `undefined` = it is no `session_meta`. */
export function lineageOf(record: JsonRecord): Lineage | undefined {
  const payload = record.type === 'session_meta' ? recordOf(record.payload) : undefined
  if (payload === undefined) return undefined
  const subagent = recordOf(recordOf(payload.source)?.subagent)
  const spawn = recordOf(subagent?.thread_spawn)
  const named = [payload.parent_thread_id, spawn?.parent_thread_id, subagent?.parent_thread_id]
  const parent = named.map(uuidOf).find((id) => id !== undefined) ?? null
  const own = uuidOf(payload.id)
  return {
    // What names itself as its parent has none.
    parent: parent === own ? null : parent,
    root: uuidOf(payload.session_id) ?? null,
    depth: countOf(spawn?.depth) || null,
  }
}
