import { KEPT } from '../../domain/record/kept-text'
import type { KindObservation } from '../../domain/record/observation'
import { clip } from '../json-lines/text'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const TYPES = words('user assistant tool_result')

/** Lines of the CLI about itself, since 0.24. */
const SUBTYPES = words(`
  ui_telemetry attribution_snapshot chat_compression custom_title parent_session session_source session_model
  session_sources_snapshot session_artifact_event session_artifact_snapshot file_history_snapshot branch_checkpoint
  rewind slash_command at_command notification cron agent_mention agent_message mid_turn_user_message
  user_text_elements turn_result goal_state goal_runtime goal_turn_end loop_detected realtime_message omni_recall session_recording_degraded
`)

/** The kind of a line: its type, and its subtype after a slash. */
export function kindOf(type: string, subtype: string | undefined, version: string | undefined): KindObservation {
  const isKnown =
    subtype === undefined ? TYPES.has(type) : (type === 'system' || TYPES.has(type)) && SUBTYPES.has(subtype)
  const name = subtype === undefined ? type : `${type}/${subtype}`
  return {
    kind: 'kind',
    name: clip(name, KEPT.name) || '(none)',
    isKnown,
    ...(version && { version: clip(version, KEPT.name) }),
  }
}
