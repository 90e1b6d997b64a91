import { KEPT } from '../../../domain/record/kept-text'
import type { KindObservation } from '../../../domain/record/observation'
import { clip } from '../../json-lines/text'

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/**
 * Types of lines, of all releases to 0.169. Those of `response_item` and `event_msg` have a type of their own inside. Not among them:
 * `realtime_item`, of spoken conversations, which no file that we saw has.
 */
const LINE_TYPES = words(`
  session_meta turn_context world_state response_item event_msg compacted token_usage_record dynamic_tools_updated security_risk_score
  inter_agent_communication inter_agent_communication_metadata session_state ghost_snapshot
`)

/** What the model was sent and answered. Releases of 2025 wrote these without an envelope. */
const ITEM_TYPES = words(`
  message agent_message reasoning function_call function_call_output custom_tool_call custom_tool_call_output
  local_shell_call local_shell_call_output web_search_call image_generation_call tool_search_call tool_search_output compaction
  compaction_summary context_compaction compaction_trigger configuration_update ghost_snapshot additional_tools other
`)

const EVENT_TYPES = words(`
  user_message agent_message agent_reasoning agent_reasoning_raw_content token_count task_started task_complete
  turn_started turn_complete turn_aborted turn_diff error warning stream_error context_compacted entered_review_mode
  exited_review_mode thread_rolled_back thread_name_updated thread_settings_applied thread_goal_updated item_started
  item_completed undo_completed exec_command_begin exec_command_end mcp_tool_call_begin mcp_tool_call_end
  patch_apply_begin patch_apply_end web_search_begin web_search_end view_image_tool_call image_generation_end
  dynamic_tool_call_request dynamic_tool_call_response collab_agent_spawn_begin collab_agent_spawn_end
  collab_agent_interaction_begin collab_agent_interaction_end collab_waiting_begin collab_waiting_end
  collab_close_begin collab_close_end collab_resume_begin collab_resume_end sub_agent_activity guardian_assessment
  hook_started hook_completed model_reroute plan_update session_configured background_event deprecation_notice
  agent_reasoning_section_break environment_connected environment_disconnected thread_queue_changed mcp_startup_update
  mcp_startup_complete model_verification turn_moderation_metadata terminal_interaction exec_approval_request
  apply_patch_approval_request elicitation_request elicitation_abandoned patch_apply_updated image_generation_begin
  shutdown_complete raw_response_item raw_response_completed
`)

export const isLineType = (type: string): boolean => LINE_TYPES.has(type)
export const isItemType = (type: string): boolean => ITEM_TYPES.has(type)

const cut = (text: string): string => clip(text, KEPT.name) || '(none)'

/** The kind of a line: its type, and the type inside after a slash. */
export function kindOf(type: string, inner: string | undefined, version: string | null): KindObservation {
  const [name, isKnown] =
    type === 'response_item'
      ? [`response_item/${inner ?? ''}`, inner !== undefined && ITEM_TYPES.has(inner)]
      : type === 'event_msg'
        ? [`event_msg/${inner ?? ''}`, inner !== undefined && EVENT_TYPES.has(inner)]
        : [type, LINE_TYPES.has(type)]
  return { kind: 'kind', name: cut(name), isKnown, ...(version !== null && { version }) }
}
