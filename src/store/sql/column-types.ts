import type { AgentKind } from '../../domain/agent'
import type { InboxStatus, ReplyStatus } from '../../domain/inbox'
import type { KeptLine } from '../../domain/issue/issue-file'
import type { MessageKind, MessageRoute, MessageSender, MessageStatus } from '../../domain/message/message'
import type { EndStatus, TodoStatus } from '../../domain/record/observation'
import type { SubagentKind } from '../../domain/record/record-store'
import type { RegistrationRow } from '../../domain/registry'
import type { IssueLinkSource } from '../../domain/session/session-issue'
import type { SessionSignals } from '../../domain/session/session-store'
import type { ShellState } from '../../domain/session/shell'
import type { OnChildDone, TaskLogKind } from '../../domain/task/task'
import type { AttemptRow, QuestionRow, TaskRow } from '../../domain/task/task-store'

/** What the schema can't say of a column: the closed set of its texts. Whether it may be null is the schema's. */
export interface ColumnTypes {
  'agents.kind': AgentKind
  'attempts.failure_class': AttemptRow['failureClass']
  'attempts.wish': AttemptRow['wish']
  'inbox.status': InboxStatus
  'inbox_replies.status': ReplyStatus
  'issue_kept_lines.kind': KeptLine['kind']
  'message_steps.route': MessageRoute
  'message_steps.status': MessageStatus
  'messages.from_kind': MessageSender['kind']
  'messages.kind': MessageKind
  'messages.route': MessageRoute
  'messages.status': MessageStatus
  'questions.behavior': QuestionRow['behavior']
  'questions.default_behavior': QuestionRow['default']
  'questions.status': QuestionRow['status']
  'registrations.kind': RegistrationRow['kind']
  'session_mentions.source': Extract<IssueLinkSource, 'prompt' | 'branch' | 'environment'>
  'sessions.activity': SessionSignals['activity']
  'sessions.process_state': SessionSignals['processState']
  'shell_processes.state': ShellState
  'subagents.end_status': EndStatus
  'subagents.hook_end_status': EndStatus
  'subagents.kind': SubagentKind
  'task_log.kind': TaskLogKind
  'tasks.assigned_by': TaskRow['assignedBy']
  'tasks.continuity': TaskRow['continuity']
  'tasks.failure_class': TaskRow['failureClass']
  'tasks.finished_by': TaskRow['finishedBy']
  'tasks.on_child_done': OnChildDone
  'tasks.on_dependency_failure': TaskRow['onDependencyFailure']
  'tasks.paused_by': TaskRow['pausedBy']
  'tasks.start_rung': TaskRow['startRung']
  'tasks.status': TaskRow['status']
  'tasks.waiting_for': TaskRow['waitingFor']
  'todos.status': TodoStatus
  'tombstones.kind': 'session' | 'path'
}
