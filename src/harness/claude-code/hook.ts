import type { HookParse } from '../../domain/harness/harness'
import { KEPT } from '../../domain/record/kept-text'
import type { ActivityObservation, Observation } from '../../domain/record/observation'
import { sha256Hex } from '../../util/crypto'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, isRecord, listOf, recordOf, textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import { hookKind } from './kinds'
import { isInternalAgentId, readNotification } from './notification'
import { runningTask } from './tasks/stream-tasks'
import type { ToolPlace } from './tools'
import { ASKING_TOOLS, readAnswer, readCall } from './tools'
import { subagentTexts } from './tools/agent'
import { launchOf } from './tools/launch'
import { isTodoTool } from './tools/todo'

/**
 * One payload of a command or HTTP hook; `null` when it names no session, or neither an event nor a to-do tool's call.
 *
 * A hook runs before its line is written and names no line: what it says is keyed by tool call, sub-agent or session.
 *
 * @param at  when our hook process saw it: payloads carry no time.
 */
export function readHook(payload: unknown, at: number, env: Readonly<Record<string, string>> = {}): HookParse | null {
  if (!isRecord(payload)) return null
  const sessionId = idOf(payload.session_id)
  if (sessionId === undefined) return null
  const event = idOf(payload.hook_event_name)
  if (event === undefined) return readSync(payload, sessionId, at, env)
  const subagentId = idOf(payload.agent_id) ?? null
  const observations: Observation[] = [
    hookKind(event),
    ...activityOf(event, payload, subagentId, at),
    ...taskListOf(env, at),
  ]
  const read = READERS.get(event)
  if (read) observations.push(...read(payload, subagentId, at))
  return { sessionId, transcriptPath: textOf(payload.transcript_path) ?? null, observations }
}

/**
 * A to-do tool's call without the moment of a hook: somebody handed it over. It counts as done. Without the call's id the same payload at
 * the same time is one change. `null` for other tools' payloads.
 */
function readSync(
  payload: JsonRecord,
  sessionId: string,
  at: number,
  env: Readonly<Record<string, string>>,
): HookParse | null {
  const name = idOf(payload.tool_name)
  if (name === undefined || !isTodoTool(name)) return null
  const hash = sha256Hex(`${at}\0${JSON.stringify(payload)}`)
  const place: ToolPlace = {
    uuid: null,
    toolUseId: idOf(payload.tool_use_id) ?? `sync:${hash.slice(0, 32)}`,
    subagentId: idOf(payload.agent_id) ?? null,
    at,
  }
  const answer = recordOf(payload.tool_response) ?? null
  const observations = [
    hookKind('PostToolUse'),
    // A session that hands a list over is at work, and nothing else may show that: its list would count as left open at once.
    ...(place.subagentId === null
      ? [{ kind: 'activity', uuid: null, at, state: 'working', evidence: 'to-dos handed over' } as const]
      : []),
    ...taskListOf(env, at),
    ...readCall(name, payload.tool_input, place),
    ...readAnswer(answer, undefined, place, 'hook:PostToolUse'),
  ]
  return { sessionId, transcriptPath: textOf(payload.transcript_path) ?? null, observations }
}

/** The list that the session's task tools share with others, as the CLI names its folder. */
function taskListOf(env: Readonly<Record<string, string>>, at: number): Observation[] {
  const name = (env.CLAUDE_CODE_TASK_LIST_ID ?? '').replace(/[^\w-]/g, '-')
  return name === '' || name.length > LIST_NAME_LIMIT ? [] : [{ kind: 'task_list', uuid: null, at, name }]
}

/** As long as a folder's name that is read as a list's. */
const LIST_NAME_LIMIT = 200

type Reader = (payload: JsonRecord, subagentId: string | null, at: number) => Observation[]

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['SessionStart', sessionPlace],
  ['CwdChanged', sessionPlace],
  ['UserPromptSubmit', (payload, _, at) => readNotice(payload, at)],
  ['PreToolUse', toolCall],
  ['PostToolUse', toolAnswer],
  ['PostToolUseFailure', toolFailure],
  ['SubagentStart', subagentStart],
  ['SubagentStop', subagentStop],
  ['LodeAgentSpawn', agentSpawn],
  ['Stop', (payload) => listOf(payload.background_tasks).slice(0, 1_000).flatMap(runningTask)],
])

function sessionPlace(payload: JsonRecord, subagentId: string | null, at: number): Observation[] {
  const cwd = textOf(payload.new_cwd) ?? textOf(payload.cwd)
  return cwd && subagentId === null ? [{ kind: 'session', uuid: null, at, cwd: clip(cwd, 4_000) }] : []
}

function readNotice(payload: JsonRecord, at: number): Observation[] {
  const prompt = textOf(payload.prompt) ?? ''
  return readNotification(prompt, { uuid: null, at, subagentId: null, evidence: 'hook:notification' })
}

/** The tool call that a payload is about; 2.0.30 does not name it. */
function placeOf(payload: JsonRecord, subagentId: string | null, at: number): ToolPlace | undefined {
  const toolUseId = idOf(payload.tool_use_id)
  return toolUseId === undefined ? undefined : { uuid: null, toolUseId, subagentId, at }
}

function toolCall(payload: JsonRecord, subagentId: string | null, at: number): Observation[] {
  const place = placeOf(payload, subagentId, at)
  const name = idOf(payload.tool_name)
  if (!place || name === undefined) return []
  return [{ kind: 'tool_call', name, ...place }, ...readCall(name, payload.tool_input, place)]
}

/** The answer's payload repeats the call. */
function toolAnswer(payload: JsonRecord, subagentId: string | null, at: number): Observation[] {
  const place = placeOf(payload, subagentId, at)
  const name = idOf(payload.tool_name)
  if (!place || name === undefined) return []
  return [
    { kind: 'tool_result', isError: false, ...place },
    ...readCall(name, payload.tool_input, place),
    ...readAnswer(recordOf(payload.tool_response) ?? null, undefined, place, 'hook:PostToolUse').map((seen) =>
      // The answer of a launch in the background leaves out the type, which lists of launches tell at once.
      seen.kind === 'subagent' && seen.run?.trigger === 'launch'
        ? { ...launchOf(name, payload.tool_input), ...seen }
        : seen,
    ),
  ]
}

function toolFailure(payload: JsonRecord, subagentId: string | null, at: number): Observation[] {
  const place = placeOf(payload, subagentId, at)
  return place ? [{ kind: 'tool_result', isError: true, ...place }] : []
}

/** The fork that writes a compaction's summary has an empty type; 2.1.10 names none at all when an agent stops. */
const isOwnFork = (payload: JsonRecord, subagentId: string): boolean =>
  payload.agent_type === '' || isInternalAgentId(subagentId)

function subagentStart(payload: JsonRecord, subagentId: string | null, at: number): Observation[] {
  if (subagentId === null || isOwnFork(payload, subagentId)) return []
  const texts = subagentTexts({ type: payload.agent_type })
  const run = { trigger: 'unknown' as const, evidence: 'hook:SubagentStart' }
  return [{ kind: 'subagent', uuid: null, subagentId, ...texts, startedAt: at, run }]
}

/** From our mod, at the start of a sub-agent: the call and the parent, which no hook of the CLI names. */
function agentSpawn(payload: JsonRecord, subagentId: string | null, at: number): Observation[] {
  const toolUseId = idOf(payload.tool_use_id)
  const parentAgentId = idOf(payload.parent_agent_id)
  if (toolUseId === undefined) return []
  return subagentStart(payload, subagentId, at).map((seen) =>
    seen.kind === 'subagent'
      ? {
          ...seen,
          ...subagentTexts({ type: payload.agent_type, description: payload.description }),
          ...{ toolUseId, evidence: 'mod' as const, run: { trigger: 'unknown' as const, evidence: 'mod:agent.spawn' } },
          ...(parentAgentId !== undefined && { parentAgentId }),
          ...(payload.is_background === true && { isBackground: true }),
        }
      : seen,
  )
}

function subagentStop(payload: JsonRecord, subagentId: string | null, at: number): Observation[] {
  if (subagentId === null || isOwnFork(payload, subagentId)) return []
  const texts = subagentTexts({ type: payload.agent_type })
  const result = textOf(payload.last_assistant_message)
  const end = { status: 'completed' as const, at, evidence: 'hook:SubagentStop' }
  return [
    {
      kind: 'subagent',
      uuid: null,
      subagentId,
      ...texts,
      end: result ? { ...end, result: clip(result, KEPT.long) } : end,
    },
  ]
}

/** What an event says about whether the session is at work. A sub-agent's events are about itself, unless it asks a person. */
function activityOf(event: string, payload: JsonRecord, subagentId: string | null, at: number): ActivityObservation[] {
  const state = stateOf(event, payload)
  if (state === undefined || (subagentId !== null && state !== 'waiting')) return []
  const detail = textOf(payload[DETAIL_FIELDS.get(event) ?? ''])
  const seen: ActivityObservation = {
    kind: 'activity',
    uuid: null,
    at,
    state,
    evidence: detail ? `hook:${event}(${clip(detail, 60)})` : `hook:${event}`,
  }
  return [state === 'ended' ? { ...seen, reason: clip(detail ?? 'unknown', 60) } : seen]
}

const DETAIL_FIELDS: ReadonlyMap<string, string> = new Map([
  ['SessionStart', 'source'],
  ['SessionEnd', 'reason'],
  ['Notification', 'notification_type'],
  ['StopFailure', 'error'],
  ['PreCompact', 'trigger'],
  ['PostCompact', 'trigger'],
])

type State = ActivityObservation['state']

function stateOf(event: string, payload: JsonRecord): State | undefined {
  // A compaction comes in the middle of a turn or between two: only who asked for it tells which.
  if (event === 'SessionStart') return payload.source === 'compact' ? undefined : 'idle'
  if (event === 'PreCompact') return payload.trigger === 'manual' ? undefined : 'working'
  if (event === 'PostCompact') return payload.trigger === 'manual' ? 'idle' : undefined
  if (event === 'PreToolUse') return ASKING_TOOLS.has(textOf(payload.tool_name) ?? '') ? 'waiting' : 'working'
  if (event === 'Notification') return NOTIFICATIONS.get(textOf(payload.notification_type) ?? '')
  return STATES.get(event)
}

const NOTIFICATIONS: ReadonlyMap<string, State> = new Map<string, State>([
  ['permission_prompt', 'waiting'],
  ['elicitation_dialog', 'waiting'],
  ['elicitation_response', 'working'],
  ['idle_prompt', 'idle'],
])

const STATES: ReadonlyMap<string, State> = new Map<string, State>([
  ['UserPromptSubmit', 'working'],
  // A person stopped the turn: only our mod reports it.
  ['LodeInterrupted', 'idle'],
  ['PostToolUse', 'working'],
  ['PostToolUseFailure', 'working'],
  ['PostToolBatch', 'working'],
  ['PermissionRequest', 'waiting'],
  ['PermissionDenied', 'working'],
  ['Elicitation', 'waiting'],
  ['ElicitationResult', 'working'],
  ['Stop', 'idle'],
  ['StopFailure', 'idle'],
  ['SessionEnd', 'ended'],
])
