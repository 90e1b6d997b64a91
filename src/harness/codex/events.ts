import { KEPT } from '../../domain/record/kept-text'
import type { Observation } from '../../domain/record/observation'
import { countOf, type JsonRecord, recordOf, textOf, uuidOf } from '../json-lines/json-value'
import { clip, titleOf } from '../json-lines/text'
import { activityOf } from './activity'
import { itemOfEvent } from './collab-events'
import { collaborationOf } from './collaboration'
import { eventOf } from './rollout/event'
import { type Place, sourceOf } from './rollout/place'
import { usageOf } from './usage'

/**
 * Adds what an `event_msg` says, which the CLI writes for its own screen. Messages, thinking and calls come again as `response_item`, and
 * are taken from there.
 */
export function readEvent(into: Observation[], place: Place): void {
  const { payload, carry } = place
  const isCopy = carry.copyUntil !== null
  switch (place.inner) {
    case 'token_count': {
      const info = recordOf(payload.info)
      if (!isCopy) addUsage(into, place, info?.last_token_usage, info?.total_token_usage)
      return
    }
    case 'task_started':
    case 'turn_started':
      carry.hasFailed = false
      carry.tellsTurns = true
      if (!isCopy) readStart(into, place)
      return
    case 'task_complete':
    case 'turn_complete':
      if (!isCopy) readEnd(into, place, carry.hasFailed ? 'failed' : 'completed')
      carry.hasFailed = false
      return
    case 'turn_aborted':
      into.push(eventOf(place, 'system', `The turn was aborted: ${textOf(payload.reason) ?? 'no reason given'}`))
      if (!isCopy) readEnd(into, place, 'killed')
      return
    case 'error':
      into.push(eventOf(place, 'error', textOf(payload.message) ?? 'error'))
      carry.hasFailed = true
      if (!isCopy && place.subagentId === null) into.push(activityOf(place, 'idle', 'error'))
      return
    case 'stream_error':
    case 'warning':
      into.push(eventOf(place, 'system', textOf(payload.message) ?? place.inner))
      return
    case 'thread_name_updated':
      if (!isCopy) readName(into, place)
      return
    case 'thread_rolled_back':
      into.push(eventOf(place, 'system', `${countOf(payload.num_turns)} turns were taken back.`))
      return
    case 'item_completed': {
      const item = recordOf(payload.item)
      if (!isCopy && item !== undefined) into.push(...collaborationOf(item, place), ...deliveryOf(item, place))
      return
    }
    default: {
      const item = isCopy ? undefined : itemOfEvent(payload)
      if (item !== undefined) into.push(...collaborationOf(item, place))
    }
  }
}

/** A text that a program put in under an id of its own: the conversation has it, and says so here alone. */
function deliveryOf(item: JsonRecord, place: Place): Observation[] {
  const id = item.type === 'UserMessage' ? uuidOf(item.client_id) : undefined
  return id === undefined ? [] : [{ ...eventOf(place, 'attachment', ''), carries: [id] }]
}

export function addUsage(into: Observation[], place: Place, last: unknown, sum: unknown): void {
  const usage = usageOf(last, sum, { ...sourceOf(place), thread: place.thread, model: place.carry.model })
  if (usage !== undefined) into.push(usage)
}

/** A turn begins: of a sub-agent, a run. */
function readStart(into: Observation[], place: Place): void {
  const { uuid, at, subagentId } = place
  if (subagentId === null) {
    into.push(activityOf(place, 'working', 'task_started'))
    return
  }
  into.push({
    kind: 'subagent',
    uuid,
    subagentId,
    isBackground: true,
    run: { trigger: 'unknown', isStart: true, evidence: 'transcript:task_started' },
    ...(at !== null && { startedAt: at }),
  })
}

function readEnd(into: Observation[], place: Place, status: 'completed' | 'failed' | 'killed'): void {
  const { uuid, at, subagentId, inner, payload } = place
  if (subagentId === null) {
    into.push(activityOf(place, 'idle', inner ?? 'end'))
    return
  }
  const result = textOf(payload.last_agent_message)
  into.push({
    kind: 'subagent',
    uuid,
    subagentId,
    end: {
      status,
      at,
      evidence: `transcript:${inner ?? 'end'}`,
      ...(result !== undefined && result !== '' && { result: clip(result, KEPT.long) }),
    },
  })
}

/** A person named the conversation. */
function readName(into: Observation[], place: Place): void {
  const title = titleOf(textOf(place.payload.thread_name) ?? '')
  if (title === undefined || place.subagentId !== null) return
  into.push({ kind: 'session', uuid: null, at: place.at, title: { text: title, source: 'person' } })
}
