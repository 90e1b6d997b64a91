import { KEPT } from '../../domain/record/kept-text'
import type { KindObservation } from '../../domain/record/observation'
import { clip } from '../json-lines/text'

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** Lines of a transcript that are part of the conversation; the rest is the CLI's own book-keeping. */
export const CONVERSATION_TYPES = words('user assistant system attachment')

/** Line types of transcripts, all versions. */
const TRANSCRIPT_TYPES = words(`
  user assistant progress summary custom-title ai-title agent-name agent-color agent-setting last-prompt tag pr-link
  task-summary file-history-snapshot file-history-delta attribution-snapshot queue-operation mode permission-mode
  worktree-state cost-state content-replacement speculation-accept marble-origami-commit marble-origami-snapshot
  api-request api-request-blob api-request-shape tools-used atis-latch saved_hook_context bridge-session goal
  goal-cleared started result continued-in resume-head-vouch data-flow-records data-flow-incomplete derived-from
  api-request-resumed fork-context-ref frame-link ended-by-model relocated artifact-comment-monitor
  artifact-autoreact-ledger history-suppression isolation-latch session-owner dev-mods memory-mode observer-ref
  repl-mode marble-origami-reset
`)

const SYSTEM_SUBTYPES = words(`
  compact_boundary microcompact_boundary snip_boundary local_command informational api_error stop_hook_summary
  turn_duration away_summary bridge_status memory_saved permission_retry scheduled_task_fire agents_killed thinking
  api_metrics file_snapshot model_refusal_fallback model_consent_fallback model_fallback model_refusal_no_fallback
  memory_recall session_writes_lost rewind_stand_in file_attachments_missing
`)

const ATTACHMENT_TYPES = words(`
  file compact_file_reference pdf_reference already_read_file edited_text_file edited_image_file directory
  selected_lines_in_ide opened_file_in_ide todo todo_reminder task_reminder nested_memory relevant_memories
  dynamic_skill skill_listing skill_discovery queued_command output_style diagnostics plan_mode plan_mode_reentry
  plan_mode_exit auto_mode auto_mode_exit critical_system_reminder plan_file_reference mcp_resource
  command_permissions agent_mention task_status unified_tasks async_hook_response token_usage budget_usd
  output_token_usage structured_output teammate_mailbox team_context hook_cancelled hook_blocking_error hook_success
  hook_non_blocking_error hook_error_during_execution hook_stopped_continuation hook_additional_context
  hook_system_message hook_permission_decision hook_deferred_tool date_change date ultrathink_effort
  deferred_tools_delta agent_listing_delta mcp_instructions_delta companion_intro verify_plan_reminder
  max_turns_reached current_session_memory compaction_reminder context_efficiency invoked_skills environment model
  session_context remote_session_change prompt_snapshot silent_turn_reminder new_diagnostics total_tokens_reminder
  background_shell_status new_directories ultramemory account_memory_recall advisor_stripped advisor_tool
  agent_ask_notice at_mention_reference batching_reminder batching_reminder_sent claude_app_notice context_sections
  coordinator_context cowork_memory_context deferred_tools_record dir_sync_notice elapsed_time_reminder fork_briefing
  inlined_image_paths instruction_files_not_loaded instructions language message_pdf_reads output_limit_note
  output_style_instructions peer_mention plugin_note poll_events project_doc_reads prompt_as_file
  read_truncation_notice sandbox_instructions secondary_reminder secondary_reminder_sent session_cron_carry
  thinking_stripped tool_host_result_lines tool_hosts_notice tool_offer_record tool_results_cut ultra_effort_enter
  ultra_effort_exit workflow_size_guideline_change
`)

const PROGRESS_TYPES = words(`
  agent_progress bash_progress powershell_progress hook_progress mcp_progress query_update search_results_received
  waiting_for_task skill_progress build_progress test_progress check_progress repl_tool_call
`)

/** Line types of `--output-format stream-json`. */
const STREAM_TYPES = words(`
  assistant user result stream_event transcript_mirror command_lifecycle rate_limit_event tool_progress tool_use_summary
  control_request control_response control_cancel_request keep_alive auth_status prompt_suggestion
`)

const STREAM_SUBTYPES = words(`
  init compact_boundary status hook_started hook_progress hook_response task_started task_progress task_updated
  task_notification background_tasks_changed api_retry thinking_tokens informational permission_denied
  session_title_changed model_refusal_no_fallback session_state_changed local_command_output files_persisted
  elicitation_complete post_turn_summary plugin_install microcompact_boundary bridge_state checkpoint_done
  commands_changed memory_recall mirror_error model_consent_fallback model_fallback model_refusal_fallback
  notification per_turn_effort_changed permission_check_status scheduled_task_fire session_metadata shell_cwd
  start_folder task_summary turn_preempted turn_starting worker_shutting_down control_request_progress
  code_change_published peer_message_hold vcs_state_changed
`)

/** Whether the CLI writes lines of this type, into a transcript or a stream. */
export function isLineType(type: string): boolean {
  return TRANSCRIPT_TYPES.has(type) || STREAM_TYPES.has(type)
}

/** Events that hooks of all versions are called for, `SessionOrigin`, which our own hook adds, and what our mod tells. */
const HOOK_EVENTS = words(`
  PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart
  SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PermissionRequest PermissionDenied Setup
  TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove
  InstructionsLoaded CwdChanged FileChanged MessageDisplay PreModelSwitch PostModelSwitch DirectoryAdded SessionOrigin
  LodeAgentSpawn LodeInterrupted
`)

const cut = (text: string): string => clip(text, KEPT.name) || '(none)'

function kind(name: string, isKnown: boolean, version: string | undefined): KindObservation {
  return version === undefined
    ? { kind: 'kind', name: cut(name), isKnown }
    : { kind: 'kind', name: cut(name), isKnown, version: cut(version) }
}

/** The kind of a transcript's line: its `type`, and for the types that have them the subtype after a slash. */
export function transcriptKind(
  type: string,
  subtype: string | undefined,
  version: string | undefined,
): KindObservation {
  if (type === 'system')
    return kind(`system/${subtype ?? ''}`, subtype !== undefined && SYSTEM_SUBTYPES.has(subtype), version)
  if (type === 'attachment')
    return kind(`attachment/${subtype ?? ''}`, subtype !== undefined && ATTACHMENT_TYPES.has(subtype), version)
  if (type === 'progress')
    return kind(`progress/${subtype ?? ''}`, subtype !== undefined && PROGRESS_TYPES.has(subtype), version)
  return kind(type, TRANSCRIPT_TYPES.has(type), version)
}

export function streamKind(type: string, subtype: string | undefined, version: string | undefined): KindObservation {
  if (type === 'system')
    return kind(`system/${subtype ?? ''}`, subtype !== undefined && STREAM_SUBTYPES.has(subtype), version)
  return kind(type, STREAM_TYPES.has(type), version)
}

export function hookKind(event: string): KindObservation {
  return kind(event, HOOK_EVENTS.has(event), undefined)
}

/** A file that is read whole. */
export function documentKind(name: 'meta' | 'task' | 'todos', isKnown: boolean): KindObservation {
  return kind(name, isKnown, undefined)
}
