import type { Observation, SessionObservation } from '../../../domain/record/observation'
import { idOf, recordOf, textOf, timeOf, uuidOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { timeOfId } from './carry'
import type { Place } from './place'
import { ordinalOf } from './rollout-line'
import { lineageOf } from './session-meta'

/**
 * Reads a `session_meta`. The first one of a file is its own; it comes again when the thread is resumed, and those of other threads stand
 * at the head of what was copied from them.
 */
export function readSessionMeta(into: Observation[], place: Place): void {
  const { payload, carry, thread, at } = place
  const id = uuidOf(payload.id)
  if (id !== undefined && id !== thread) {
    // Releases before 2026 name the origin of a fork by its first line alone, which is copied.
    if (carry.copyUntil === null && carry.lines === 2 && place.subagentId === null)
      into.push({ kind: 'session', uuid: null, at, forkedFrom: id })
    carry.copyUntil ??= timeOfId(thread) ?? at
    return
  }
  // What follows the thread's own first line where that comes again is its own.
  if (place.offset !== 0 && carry.ownFrom === null) carry.copyUntil = null
  const version = textOf(payload.cli_version)
  if (version !== undefined) carry.version = clip(version, 100)
  const forkedFrom = idOf(payload.forked_from_id)
  // Newer releases do not copy: they name the place in the other file. Where the thread's own turns have begun, nothing is copied again.
  const isFork = forkedFrom !== undefined && recordOf(payload.history_base) === undefined
  const translatedFrom = idOf(recordOf(payload.translated_from)?.session_id)
  if (place.offset === 0) carry.ownFrom = ordinalOf(payload.subagent_history_start_ordinal)
  const isCopying = (isFork || translatedFrom !== undefined || carry.ownFrom !== null) && place.offset === 0
  if (isCopying) carry.copyUntil = timeOfId(thread) ?? timeOf(payload.timestamp) ?? at
  // A translation is ours, and has no turns: what the CLI adds begins with one.
  if (isCopying && translatedFrom !== undefined) carry.hasTurnIds = true
  if (place.subagentId !== null) readLaunched(into, place)
  else into.push({ ...factsOf(place, forkedFrom), ...(translatedFrom !== undefined && { translatedFrom }) })
}

function factsOf(place: Place, forkedFrom: string | undefined): SessionObservation {
  const { payload, at } = place
  const cwd = textOf(payload.cwd)
  const branch = textOf(recordOf(payload.git)?.branch)
  const version = place.carry.version
  return {
    kind: 'session',
    uuid: null,
    at: timeOf(payload.timestamp) ?? at,
    ...(cwd && { cwd: clip(cwd, 4_000) }),
    ...(branch && { gitBranch: clip(branch, 400) }),
    ...(version !== null && { agentVersion: version }),
    ...(forkedFrom !== undefined && { forkedFrom }),
  }
}

/** A thread that another one launched says who it is. */
function readLaunched(into: Observation[], { payload, subagentId, sessionId }: Place): void {
  const lineage = lineageOf({ type: 'session_meta', payload })
  if (subagentId === null || lineage === undefined) return
  const type = textOf(payload.agent_role) ?? lineage.task
  const description = textOf(payload.agent_path) ?? textOf(payload.agent_nickname)
  into.push({
    kind: 'subagent',
    uuid: null,
    subagentId,
    isBackground: true,
    ...(lineage.parent !== null && lineage.parent !== sessionId && { parentAgentId: lineage.parent }),
    ...(lineage.depth !== null && { depth: lineage.depth }),
    ...(type && { type: clip(type, 1_000) }),
    ...(description && { description: clip(description, 1_000) }),
  })
}

/** Reads a `turn_context`: under which model and where a turn runs. */
export function readTurnContext(into: Observation[], place: Place): void {
  const { payload, carry, uuid, at } = place
  const model = idOf(payload.model)
  if (model !== undefined) carry.model = model
  if (carry.copyUntil !== null) return
  if (place.subagentId !== null) {
    if (model !== undefined) into.push({ kind: 'subagent', uuid, subagentId: place.subagentId, model })
    return
  }
  const cwd = textOf(payload.cwd)
  if (model === undefined && !cwd) return
  const version = carry.version
  into.push({
    kind: 'session',
    uuid,
    at,
    ...(cwd && { cwd: clip(cwd, 4_000) }),
    ...(version !== null && { agentVersion: version }),
    ...(model !== undefined && { model }),
  })
}
