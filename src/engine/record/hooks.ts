import type { Harness, HookParse } from '../../domain/harness/harness'
import type { AgentName } from '../../domain/ids'
import { issueWord } from '../../domain/issue/issue-mention'
import type { Observation } from '../../domain/record/observation'
import { type HookLine, parseHookLine } from '../../util/hook-journal'

/** What the hooks of one session said in a block of the hook journal. */
export interface HookBatch {
  agent: AgentName
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

/** What `lode todo finalize` puts into the hook journal beside the session's id: a word of ours, whatever the agent. */
export const FINALIZED = { lodeline: 'todos finalized' } as const

/** Somebody ended the session's lists, and the session with them; what it says later begins it again. */
function readFinalized({ payload, at }: HookLine): HookParse | null {
  const { lodeline, session_id: id } = (payload ?? {}) as Record<string, unknown>
  if (lodeline !== FINALIZED.lodeline || typeof id !== 'string' || !SESSION.test(id)) return null
  // If one moment has two texts, the larger one counts: this one, not the list that was handed over before.
  const evidence = 'to-dos were finalized'
  return {
    sessionId: id,
    transcriptPath: null,
    observations: [{ kind: 'activity', uuid: null, at, state: 'ended', reason: 'finalized', evidence }],
  }
}

/** An id as the server takes it. */
const SESSION = /^[^\p{C}]{1,200}$/u

/**
 * Reads whole lines of the hook journal, grouped by session in a fixed order, so that two writers never lock crosswise.
 *
 * @param agent  whose payloads they are where a line does not say
 */
export function parseHookLines(
  harnessOf: (agent: AgentName) => Harness,
  agent: AgentName,
  bytes: Uint8Array,
  offset: number,
) {
  const bySession = new Map<string, HookBatch>()
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
        const agentName = envelope.agent ?? agent
        const hook =
          readFinalized(envelope) ?? harnessOf(agentName).parseHook(envelope.payload, envelope.at, envelope.env)
        if (hook === null) unplaced.push({ kind: 'kind', name: 'hook/unreadable', isKnown: false })
        else {
          const { sessionId } = hook
          const seen = bySession.get(sessionId) ?? { agent: agentName, sessionId, observations: [] }
          seen.observations.push(...hook.observations, ...issueOf(envelope), ...originOf(envelope))
          bySession.set(sessionId, seen)
        }
      }
    }
    start = end + 1
  }
  const hooks = [...bySession.values()].sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1))
  return { hooks, malformed, observations: unplaced, consumed: start }
}
