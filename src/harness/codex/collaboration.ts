import { KEPT } from '../../domain/record/kept-text'
import type { EndStatus, Launch, Observation, SubagentObservation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, isRecord, listOf, recordOf, textOf, uuidOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import { NOTICE_OPENING } from './message'
import { type Carry, PATH_LENGTH } from './rollout/carry'
import type { Place } from './rollout/place'

/** Sub-agents that one line reports. */
const AGENT_LIMIT = 1_000

const SPAWN = 'spawn_agent'
const SPAWN_EVIDENCE = 'transcript:spawn_agent'
const NOTICE_EVIDENCE = 'transcript:notification'

/** What a call asks for when it may launch a sub-agent; else `undefined`. */
export function launchOf(name: string, input: unknown): Launch | undefined {
  const asked = name === SPAWN ? recordOf(input) : undefined
  if (asked === undefined) return undefined
  const type = textOf(asked.agent_type)
  const description = textOf(asked.task_name)
  const prompt = textOf(asked.message)
  return {
    ...(type !== undefined && { type: clip(type, KEPT.short) }),
    ...(description !== undefined && { description: clip(description, KEPT.short) }),
    ...(prompt !== undefined && { prompt: clip(prompt, KEPT.long) }),
  }
}

/** The first generation's tool answers with the thread that it launched: `{"agent_id": "…", "nickname": "…"}`. */
export function spawnAnswer(text: string, place: Place & { toolUseId: string }): SubagentObservation[] {
  const answer = text.startsWith('{"agent_id":') ? parsed(text) : undefined
  const launched = uuidOf(answer?.agent_id)
  return launched === undefined ? [] : [launchedBy(launched, place.toolUseId, place)]
}

/** The first generation's tool for waiting answers with what each thread said: `{"status": {"<thread>": {"completed": "…"}}, …}`. */
export function waitAnswer(text: string, place: Place): Observation[] {
  const answer = text.startsWith('{"status":{') ? parsed(text) : undefined
  return answer === undefined ? [] : statesOf(answer.status, place, true)
}

/** A launch, by the call that made it. */
function launchedBy(
  subagentId: string,
  toolUseId: string,
  { uuid, at, subagentId: parent }: Place,
): SubagentObservation {
  return {
    kind: 'subagent',
    uuid,
    subagentId,
    toolUseId,
    evidence: 'tool_result',
    ...(parent !== null && { parentAgentId: parent }),
    isBackground: true,
    run: { toolUseId, trigger: 'launch', isStart: true, evidence: SPAWN_EVIDENCE },
    ...(at !== null && { startedAt: at }),
  }
}

/** What a finished item of the CLI's says about sub-agents. The id of such an item is that of its tool call. */
export function collaborationOf(item: JsonRecord, place: Place): Observation[] {
  if (item.type === 'SubAgentActivity') return activityItem(item, place)
  if (item.type !== 'CollabAgentToolCall') return []
  const toolUseId = idOf(item.id)
  const states = statesOf(item.agents_states, place, item.tool === 'wait')
  if (item.tool !== SPAWN || item.status === 'failed' || toolUseId === undefined) return states
  const agents = listOf(item.receiver_agents).filter(isRecord)
  const launched = listOf(item.receiver_thread_ids)
    .slice(0, AGENT_LIMIT)
    .flatMap((id) => uuidOf(id) ?? [])
  return [
    ...launched.map((id) => ({
      ...launchedBy(id, toolUseId, place),
      ...short('type', agents.find(({ thread_id }) => thread_id === id)?.agent_role),
      ...short('model', item.model),
      ...(typeof item.prompt === 'string' && item.prompt !== '' && { prompt: clip(item.prompt, KEPT.long) }),
    })),
    ...states,
  ]
}

/** The second generation: `{kind, agent_thread_id, agent_path}`. A start has the id of the call, other kinds one of their own. */
function activityItem(item: JsonRecord, place: Place): SubagentObservation[] {
  const subagentId = uuidOf(item.agent_thread_id)
  const toolUseId = idOf(item.id)
  if (subagentId === undefined || toolUseId === undefined) return []
  const described = { ...short('description', item.agent_path), ...short('model', item.model) }
  keepPath(place.carry, textOf(item.agent_path), subagentId)
  if (item.kind === 'started') return [{ ...launchedBy(subagentId, toolUseId, place), ...described }]
  const status = statusOf(item.kind)
  if (status === undefined) return []
  return [
    { kind: 'subagent', uuid: place.uuid, subagentId, end: endOf(status, undefined, place, 'transcript:activity') },
  ]
}

/** Sub-agents whose paths are kept for their next answer. */
const PATH_LIMIT = 8

/** Messages between agents name paths alone: whose they are, earlier lines say. */
function keepPath(carry: Carry, path: string | undefined, subagentId: string): void {
  if (path === undefined || path.length > PATH_LENGTH) return
  carry.paths = [...carry.paths.filter(([known]) => known !== path), [path, subagentId] as const].slice(-PATH_LIMIT)
}

/** What a sub-agent of the second generation answered stands before its launcher. How it ended stands in its own file. */
export function answerShown({ payload, carry, uuid, at }: Place): Observation[] {
  const subagentId = carry.paths.find(([path]) => path === payload.author)?.[1]
  return subagentId === undefined || at === null
    ? []
    : [{ kind: 'subagent', uuid, subagentId, look: { at, isWhole: true } }]
}

/** The message that tells the launcher of an end: `{"agent_path": "<thread>", "status": {"completed": "…"}}`. */
export function noticeOf(text: string, place: Place): Observation[] {
  if (place.carry.copyUntil !== null) return []
  const body = text.slice(text.indexOf(NOTICE_OPENING) + NOTICE_OPENING.length, text.lastIndexOf('</'))
  const notice = parsed(body.trim())
  const subagentId = uuidOf(notice?.agent_path)
  if (notice === undefined || subagentId === undefined) return []
  return endIn(subagentId, notice.status, place, NOTICE_EVIDENCE, true)
}

function statesOf(states: unknown, place: Place, isShown: boolean): Observation[] {
  if (!isRecord(states)) return []
  return Object.entries(states)
    .slice(0, AGENT_LIMIT)
    .flatMap(([id, state]) => {
      const subagentId = uuidOf(id)
      return subagentId === undefined ? [] : endIn(subagentId, state, place, 'transcript:wait_agent', isShown)
    })
}

/** A state is a word, or an object whose one key is the word and whose value tells more. */
function endIn(
  subagentId: string,
  state: unknown,
  place: Place,
  evidence: string,
  isShown: boolean,
): SubagentObservation[] {
  const [word, result] = isRecord(state) ? (Object.entries(state)[0] ?? []) : [state, undefined]
  const status = statusOf(word)
  if (status === undefined) return []
  const end = endOf(status, typeof result === 'string' ? result : undefined, place, evidence)
  return [{ kind: 'subagent', uuid: place.uuid, subagentId, end: isShown ? { ...end, isShown } : end }]
}

function endOf(status: EndStatus, result: string | undefined, { at }: Place, evidence: string) {
  return {
    status,
    at: null,
    ...(at !== null && { seenAt: at }),
    evidence,
    ...(result !== undefined && result !== '' && { result: clip(result, KEPT.long) }),
  }
}

function statusOf(word: unknown): EndStatus | undefined {
  if (word === 'completed') return 'completed'
  if (word === 'errored' || word === 'failed') return 'failed'
  return word === 'interrupted' || word === 'shutdown' || word === 'closed' ? 'killed' : undefined
}

function short(key: 'type' | 'description' | 'model', value: unknown): Partial<SubagentObservation> {
  const text = textOf(value)
  return text === undefined || text === '' ? {} : { [key]: clip(text, KEPT.short) }
}

function parsed(text: string): JsonRecord | undefined {
  if (text.length > 1_000_000) return undefined
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return undefined
  }
}
