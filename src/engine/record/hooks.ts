import type { Harness } from '../../domain/harness'
import { issueWord } from '../../domain/issue-mention'
import type { Observation } from '../../domain/observation'
import { type HookLine, parseHookLine } from '../../util/hook-journal'

/** What the hooks of one session said in a block of the hook journal. */
export interface HookBatch {
  sessionId: string
  observations: Observation[]
}

/** The issue that the hook's environment names, whatever the agent. */
function issueOf({ at, env }: HookLine): Observation[] {
  const word = issueWord(env.LODELINE_ISSUE ?? '')
  return word === null ? [] : [{ kind: 'mention', uuid: null, at, source: 'environment', place: '', words: [word] }]
}

/** Where the conversation comes from, as the hook's own process saw it. */
function originOf({ at, origin }: HookLine): Observation[] {
  return origin === null ? [] : [{ kind: 'origin', uuid: null, at, how: origin.how, sessionId: origin.sessionId }]
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
        const hook = harness.parseHook(envelope.payload, envelope.at, envelope.env)
        if (hook === null) unplaced.push({ kind: 'kind', name: 'hook/unreadable', isKnown: false })
        else {
          const seen = bySession.get(hook.sessionId) ?? []
          seen.push(...hook.observations, ...issueOf(envelope), ...originOf(envelope))
          bySession.set(hook.sessionId, seen)
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
