import type { JsonRecord } from '../../json-lines/json-value'
import { countOf, recordOf, textOf, uuidOf } from '../../json-lines/json-value'

/** The launcher of a thread. */
export interface Lineage {
  /** The thread whose tool call launched it; `null` = a person or a program began it. */
  parent: string | null
  /** The thread at the top, where the line names it: releases before 0.147 do not. */
  root: string | null
  /** 1 = launched by the thread at the top; `null` = not said. */
  depth: number | null
  /** What the CLI itself launched it for: `review`, `guardian`. `undefined` = a tool call did. */
  task: string | undefined
}

/** What a rollout's first line says of its lineage; `undefined` = it is no `session_meta`. */
export function lineageOf(record: JsonRecord): Lineage | undefined {
  const payload = record.type === 'session_meta' ? recordOf(record.payload) : undefined
  if (payload === undefined) return undefined
  const source = recordOf(payload.source)?.subagent
  const subagent = recordOf(source)
  const spawn = recordOf(subagent?.thread_spawn)
  const own = uuidOf(payload.id)
  const named = [payload.parent_thread_id, spawn?.parent_thread_id, subagent?.parent_thread_id]
  // What the CLI launched itself names its launcher as the origin of its history (0.106), or as the thread at the top (0.154).
  const isLaunched = typeof source === 'string' || subagent !== undefined
  const others = isLaunched ? [payload.forked_from_id, payload.session_id] : []
  const parent = [...named, ...others].map(uuidOf).find((id) => id !== undefined && id !== own) ?? null
  return {
    // What names itself as its parent has none.
    parent,
    root: uuidOf(payload.session_id) ?? null,
    depth: countOf(spawn?.depth) || null,
    task: textOf(source) ?? textOf(subagent?.other),
  }
}
