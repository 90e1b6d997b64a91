import type { HookParse } from '../../../domain/harness/harness'
import type { ActivityObservation, Observation } from '../../../domain/record/observation'
import { idOf, isRecord, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'

/** One payload of a hook of Codex, for the record; `null` when it names no session or no event. Rollouts say all else. */
export function recordHook(payload: unknown, at: number): HookParse | null {
  if (!isRecord(payload)) return null
  const sessionId = idOf(payload.session_id)
  const event = idOf(payload.hook_event_name)
  if (sessionId === undefined || event === undefined) return null
  const isMain = payload.agent_id === undefined || payload.agent_id === null
  const state = STATES.get(event)
  const cwd = textOf(payload.cwd)
  const observations: Observation[] = [{ kind: 'kind', name: clip(`hook/${event}`, 100), isKnown: KNOWN.has(event) }]
  if (isMain && event === 'SessionStart' && cwd)
    observations.push({ kind: 'session', uuid: null, at, cwd: clip(cwd, 4_000) })
  // After a compaction the turn goes on.
  const isNews = state !== undefined && payload.source !== 'compact' && (isMain || state === 'waiting')
  if (isNews) observations.push(activityOf(event, state, payload, at))
  return { sessionId, transcriptPath: textOf(payload.transcript_path) ?? null, observations }
}

type State = ActivityObservation['state']

const STATES: ReadonlyMap<string, State> = new Map<string, State>([
  ['SessionStart', 'idle'],
  ['UserPromptSubmit', 'working'],
  ['PermissionRequest', 'waiting'],
  ['Stop', 'idle'],
  ['Interrupt', 'idle'],
  ['SessionEnd', 'ended'],
])

/** All events of release 0.169. */
const KNOWN: ReadonlySet<string> = new Set([
  ...STATES.keys(),
  ...['PreToolUse', 'PostToolUse', 'PreCompact', 'PostCompact', 'SubagentStart', 'SubagentStop'],
  // From our own hook; see `cli/hooks/origin-line.ts`.
  'SessionOrigin',
])

function activityOf(event: string, state: State, payload: Record<string, unknown>, at: number): ActivityObservation {
  const detail = textOf(payload.source) ?? textOf(payload.reason)
  const evidence = detail ? `hook:${event}(${clip(detail, 60)})` : `hook:${event}`
  const seen: ActivityObservation = { kind: 'activity', uuid: null, at, state, evidence }
  return state === 'ended' ? { ...seen, reason: clip(detail ?? 'unknown', 60) } : seen
}
