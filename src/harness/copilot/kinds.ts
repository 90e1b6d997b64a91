import { KEPT } from '../../domain/record/kept-text'
import type { KindObservation } from '../../domain/record/observation'
import { clip } from '../json-lines/text'

/**
 * Types of lines that releases up to 1.0.102 write; what they only print is not among them. Those of `model.` are about the request that
 * makes a compaction's summary, of which the end of the compaction tells all.
 */
const TYPES: ReadonlySet<string> = new Set(
  `
  abort
  assistant.fusion_phase_completed assistant.fusion_phase_failed assistant.message assistant.reasoning
  assistant.turn_end assistant.turn_start assistant.usage
  external_tool.requested hook.end hook.start human_response.recorded mcp.oauth_recovery_completed
  model.message model.messages_snapshot model.model_call_started model.model_call_success model.response
  model.turn_ended model.turn_started
  permission.assentDetected permission.carriedForward permission.completed permission.contextualAuthorization
  permission.messageAuthorization permission.messageAuthorizationDegraded permission.messageAuthorizationRead
  permission.requested
  session.auto_mode_resolved session.autopilot_objective_changed session.binary_asset session.canvas.recorded
  session.canvas.removed session.compaction_complete session.compaction_start session.completion_receipt
  session.context_changed session.context_cleared session.error session.fusion_change_checkpoint
  session.fusion_commit_started session.fusion_completed session.fusion_handoff session.fusion_resolved
  session.fusion_route_failed session.handoff session.import_legacy session.info session.mode_changed
  session.mode_notice_delivered session.model_change session.model_deselected session.permission_recovery
  session.permissions_changed session.plan_changed session.remote_steerable_changed
  session.request_body_compression_disabled session.resume session.schedule_cancelled session.schedule_created
  session.schedule_rearmed session.session_limits_changed session.shutdown session.start session.task_complete
  session.truncation session.usage_checkpoint session.usage_record session.warning session.workspace_file_changed
  skill.context_delivered skill.context_delivered_ref skill.invoked skill.invoked_ref
  subagent.completed subagent.configured subagent.deselected subagent.failed subagent.selected subagent.started
  system.message system.notification
  tool.execution_complete tool.execution_start tool.user_requested tool_search.activated
  user.message
`
    .trim()
    .split(/\s+/),
)

export const kindOf = (type: string, version: string | null): KindObservation => ({
  kind: 'kind',
  name: clip(type, KEPT.name) || '(none)',
  isKnown: TYPES.has(type),
  ...(version !== null && { version }),
})
