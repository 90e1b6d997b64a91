import type { Harness } from '../../domain/harness'
import type { Observation } from '../../domain/observation'
import { parseHookLine } from '../../util/hook-journal'

/** What the hooks of one session said in a block of the hook journal. */
export interface HookBatch {
  sessionId: string
  observations: Observation[]
}

/** Reads whole lines of the hook journal, grouped by session in a fixed order, so that two writers never lock crosswise. */
export function parseHookLines(harness: Harness, bytes: Uint8Array, offset: number) {
  const bySession = new Map<string, Observation[]>()
  const malformed: { offset: number; length: number; reason: string }[] = []
  const unplaced: Observation[] = []
  let start = 0
  for (;;) {
    const end = bytes.indexOf(10, start)
    if (end < 0) break
    const line = bytes.subarray(start, end)
    if (line.length > 0) {
      const envelope = parseHookLine(line)
      if (envelope === null)
        malformed.push({ offset: offset + start, length: line.length, reason: 'not a hook journal line' })
      else {
        const hook = harness.parseHook(envelope.payload, envelope.at)
        if (hook === null) unplaced.push({ kind: 'kind', name: 'hook/unreadable', isKnown: false })
        else {
          const so = bySession.get(hook.sessionId)
          if (so) so.push(...hook.observations)
          else bySession.set(hook.sessionId, hook.observations)
        }
      }
    }
    start = end + 1
  }
  const hooks: HookBatch[] = [...bySession]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([sessionId, observations]) => ({ sessionId, observations }))
  return { hooks, malformed, observations: unplaced, consumed: start }
}
