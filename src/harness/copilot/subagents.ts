import { KEPT } from '../../domain/record/kept-text'
import type { EndStatus, Launch, Observation, SubagentObservation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, recordOf, textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import type { Place } from './place'

/** Launches that are kept until their calls are answered. */
const LAUNCH_LIMIT = 20

/** The tool that launches a sub-agent. */
const LAUNCHING = 'task'

/** What a call asks for when it may launch a sub-agent; else `undefined`. */
export function launchOf(name: string, input: unknown): Launch | undefined {
  const asked = name === LAUNCHING ? recordOf(input) : undefined
  if (asked === undefined) return undefined
  return {
    ...short('type', asked.agent_type),
    ...short('description', asked.description),
    ...(typeof asked.prompt === 'string' && { prompt: clip(asked.prompt, KEPT.long) }),
  }
}

/** A launch. A sub-agent that another one launched names it. */
export function readSubagentStart(into: Observation[], { data, uuid, at, subagentId, carry }: Place): void {
  if (subagentId === null) return
  const toolUseId = idOf(data.toolCallId)
  const parent = idOf(data.parentId)
  if (toolUseId === subagentId) carry.launches = [...carry.launches, subagentId].slice(-LAUNCH_LIMIT)
  into.push({
    kind: 'subagent',
    uuid,
    subagentId,
    ...(toolUseId !== undefined && { toolUseId, evidence: 'task_started' as const }),
    ...(parent !== undefined && { parentAgentId: parent }),
    ...short('type', data.agentType ?? data.agentName),
    ...short('description', data.agentDescription),
    ...short('model', data.model),
    isBackground: data.executionMode === 'background',
    run: {
      ...(toolUseId !== undefined && { toolUseId }),
      trigger: 'launch',
      isStart: true,
      evidence: 'transcript:subagent.started',
    },
    ...(at !== null && { startedAt: at }),
  })
}

/** The CLI says once that a sub-agent is done; how a later turn of it ends stands in that turn's last answer. */
export function readSubagentEnd(into: Observation[], place: Place): void {
  const { data, type, uuid, at, subagentId } = place
  if (subagentId === null) return
  const status: EndStatus = type === 'subagent.failed' ? 'failed' : data.cancelled === true ? 'killed' : 'completed'
  const result = textOf(data.error)
  // What ended well has said so by its last answer, with the words.
  const end = status === 'completed' ? seenBy(place, status) : { status, at, evidence: `transcript:${type}` }
  into.push({
    kind: 'subagent',
    uuid,
    subagentId,
    ...short('model', data.model),
    end: { ...end, ...(result && { result: clip(result, KEPT.long) }) },
  })
}

/** A sub-agent is set to work: first by its prompt, then by each message. */
export function subagentTurn({ uuid, at, subagentId }: Place): SubagentObservation[] {
  if (subagentId === null) return []
  return [
    {
      kind: 'subagent',
      uuid,
      subagentId,
      run: { trigger: 'unknown', isStart: true, evidence: 'transcript:user.message' },
      ...(at !== null && { startedAt: at }),
    },
  ]
}

/** The last answer of a sub-agent's turn. */
export function subagentTurnEnd({ uuid, at, subagentId }: Place, result: string): SubagentObservation[] {
  if (subagentId === null) return []
  const end = { status: 'completed' as const, at, evidence: 'transcript:assistant.message' }
  return [
    {
      kind: 'subagent',
      uuid,
      subagentId,
      end: { ...end, ...(result !== '' && { result: clip(result, KEPT.long) }) },
    },
  ]
}

/** What the model reads about a sub-agent without asking. */
export function noticeOf(kind: JsonRecord, place: Place): Observation[] {
  if (kind.type !== 'agent_completed' && kind.type !== 'agent_idle') return []
  const subagentId = idOf(kind.agentId)
  if (subagentId === undefined) return []
  const status = kind.status === 'failed' ? 'failed' : 'completed'
  return [
    {
      kind: 'subagent',
      uuid: place.uuid,
      subagentId,
      end: { ...seenBy(place, status), evidence: 'transcript:notification', isShown: true },
    },
  ]
}

const AGENT_ID = /\bagent_id: ([0-9a-zA-Z_-]{1,100})/

/** What the tools of sub-agents answer: a launch that was waited for its result, a look what was said so far. */
export function agentAnswer(place: Place, toolUseId: string, text: string): Observation[] {
  const { data, uuid, at, carry } = place
  const telemetry = recordOf(data.toolTelemetry)
  const named = idOf(recordOf(telemetry?.restrictedProperties)?.agent_id)
  // Releases that name no sub-agent in the answer let the call stand for it, and could only wait at first.
  const launched = named ?? carry.launches.find((call) => call === toolUseId)
  if (launched !== undefined && data.success === true) {
    carry.launches = carry.launches.filter((call) => call !== launched)
    const mode = recordOf(telemetry?.properties)?.execution_mode
    const isWaitedFor = mode === 'sync' || (named === undefined && mode === undefined)
    return [
      {
        kind: 'subagent',
        uuid,
        subagentId: launched,
        toolUseId,
        evidence: 'tool_result',
        ...(isWaitedFor && {
          end: { ...seenBy(place, 'completed'), isShown: true, ...(text !== '' && { result: clip(text, KEPT.long) }) },
        }),
      },
    ]
  }
  if (at === null || !/^Agent (?:is|has) /.test(text.slice(0, 20))) return []
  const looked = AGENT_ID.exec(text.slice(0, 1_000))?.[1]
  return looked === undefined ? [] : [{ kind: 'subagent', uuid, subagentId: looked, look: { at, isWhole: false } }]
}

const seenBy = ({ type, at }: Place, status: EndStatus) => ({
  status,
  at: null,
  evidence: `transcript:${type}`,
  ...(at !== null && { seenAt: at }),
})

function short<Key extends 'type' | 'description' | 'model'>(key: Key, value: unknown): { [K in Key]?: string } {
  const text = textOf(value)
  return (text ? { [key]: clip(text, KEPT.short) } : {}) as { [K in Key]?: string }
}
