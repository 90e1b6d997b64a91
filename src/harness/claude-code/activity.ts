import type { ActivityObservation, EventType } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { recordOf, textOf } from '../json-lines/json-value'
import type { Block } from './content/content'
import { resultText } from './content/content'
import { isInterruption } from './line-type'
import { calledTools } from './message'
import { ASKING_TOOLS } from './tools'

/** The line that an activity is read from. */
export interface ActivitySource {
  uuid: string
  at: number | null
  /** Begins the evidence. */
  source: 'transcript' | 'stream'
}

function activity(state: ActivityObservation['state'], what: string, from: ActivitySource): ActivityObservation {
  return { kind: 'activity', uuid: from.uuid, at: from.at, state, evidence: `${from.source}:${what}` }
}

/** How the CLI answers a tool call that a person refused: the turn ends unless the person says how to go on. */
const REFUSED = "The user doesn't want to"

/** What a `user` line of the main thread says about whether the session is at work. */
export function userActivity(type: EventType, blocks: readonly Block[], line: ActivitySource): ActivityObservation[] {
  if (type === 'prompt') return [activity('working', 'prompt', line)]
  if (type === 'notice') return [activity('working', 'notice', line)]
  if (isInterruption(blocks)) return [activity('idle', 'interrupted', line)]
  if (type !== 'tool_result') return []
  const isRefused = blocks.some(
    (part) =>
      part.kind === 'result' &&
      part.block.is_error === true &&
      resultText(part.block.content, 200)?.startsWith(REFUSED),
  )
  return isRefused ? [] : [activity('working', 'tool_result', line)]
}

/** What an `assistant` line of the main thread says about it. Versions before 2.1.30 or so write no stop reason there. */
export function assistantActivity(
  type: EventType,
  message: JsonRecord,
  blocks: readonly Block[],
  line: ActivitySource,
): ActivityObservation[] {
  if (type === 'error') return [activity('idle', 'api_error', line)]
  if (type === 'system') return []
  const tools = calledTools(blocks)
  const asking = tools.find((name) => ASKING_TOOLS.has(name))
  if (asking !== undefined) return [activity('waiting', asking, line)]
  const reason = textOf(message.stop_reason)
  if (reason !== undefined && TURN_ENDS.has(reason)) return [activity('idle', reason, line)]
  return [activity('working', type, line)]
}

const TURN_ENDS: ReadonlySet<string> = new Set(['end_turn', 'stop_sequence', 'max_tokens', 'refusal'])

/** What a `system` line of the main thread says about it. */
export function systemActivity(
  subtype: string | undefined,
  record: JsonRecord,
  line: ActivitySource,
): ActivityObservation[] {
  // What a person asks for comes between two turns; the other kind in the middle of one.
  const isByHand = subtype === 'compact_boundary' && recordOf(record.compactMetadata)?.trigger === 'manual'
  if (isByHand) return [activity('idle', 'compacted', line)]
  return subtype === 'turn_duration' || subtype === 'away_summary' ? [activity('idle', subtype, line)] : []
}
