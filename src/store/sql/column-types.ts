import type { AgentKind } from '../../domain/agent'
import type { AuditAct } from '../../domain/audit'
import type { BudgetRow } from '../../domain/budget/budget'
import type {
  Address,
  AgentId,
  AgentKey,
  AgentName,
  AttemptId,
  AttemptKey,
  EventId,
  InboxId,
  IncarnationKey,
  IssueId,
  IssueKey,
  MessageId,
  PlanId,
  QuestionId,
  SessionId,
  SessionKey,
  SubagentId,
  TaskId,
  TaskKey,
  TodoId,
  TokenId,
  TokenKey,
  TrackerKey,
  UserKey,
} from '../../domain/ids'
import type { InboxStatus, ReplyStatus } from '../../domain/inbox'
import type { KeptLine } from '../../domain/issue/issue-file'
import type { MessageKind, MessageRoute, MessageSender, MessageStatus } from '../../domain/message/message'
import type { ChannelKind } from '../../domain/notify/channel-kind'
import type { NotificationRow } from '../../domain/notify/notify'
import type { EndStatus, TodoStatus } from '../../domain/record/observation'
import type { SubagentKind } from '../../domain/record/record-store'
import type { RegistrationRow } from '../../domain/registry'
import type { ProductKind } from '../../domain/session/product'
import type { IssueLinkSource } from '../../domain/session/session-issue'
import type { SessionSignals } from '../../domain/session/session-store'
import type { ShellState } from '../../domain/session/shell'
import type { OnChildDone, TaskLogKind } from '../../domain/task/task'
import type { AttemptRow, QuestionRow, TaskRow } from '../../domain/task/task-store'
import type { TokenPurpose } from '../../domain/token/token'
import type { UserRole } from '../../domain/user/user'
import type { ViewList } from '../../domain/view/saved-view'

/** What the schema can't say of a column: whose id it holds, or the closed set of its texts. Whether it may be null is the schema's. */
export interface ColumnTypes {
  'address_aliases.address': Address
  'agents.id': AgentKey
  'agents.kind': AgentKind
  'agents.public_id': AgentId
  'attachments.address': Address
  'attempts.agent_id': AgentKey
  'attempts.failure_class': AttemptRow['failureClass']
  'attempts.id': AttemptKey
  'attempts.public_id': AttemptId
  'attempts.task_id': TaskKey
  'attempts.wish': AttemptRow['wish']
  'audit_lines.act': AuditAct
  'budget_holds.task_id': TaskKey
  'budgets.action': BudgetRow['action']
  'budgets.agent_cli': AgentName
  'budgets.period': BudgetRow['period']
  'budgets.task_id': TaskId
  'budgets.unit': BudgetRow['unit']
  'handoffs.given_to': SessionId
  'handoffs.issue_id': IssueId
  'handoffs.session_native_id': SessionId
  'inbox.public_id': InboxId
  'inbox.status': InboxStatus
  'inbox.told_to': Address
  'inbox_replies.status': ReplyStatus
  'inbox_sources.lead_address': Address
  'inbox_tasks.task_public_id': TaskId
  'issue_claims.agent_public_id': AgentId
  'issue_claims.issue_id': IssueKey
  'issue_claims.session_native_id': SessionId
  'issue_comments.issue_id': IssueKey
  'issue_dependencies.depends_on': IssueId
  'issue_dependencies.issue_id': IssueKey
  'issue_dependencies.tracker_id': TrackerKey
  'issue_history.issue_id': IssueKey
  'issue_history.session_native_id': SessionId
  'issue_kept_lines.kind': KeptLine['kind']
  'issue_kept_lines.tracker_id': TrackerKey
  'issue_labels.issue_id': IssueKey
  'issue_parents.issue_id': IssueKey
  'issue_parents.parent': IssueId
  'issue_parents.tracker_id': TrackerKey
  'issues.id': IssueKey
  'issues.parent_public_id': IssueId
  'issues.public_id': IssueId
  'issues.tracker_id': TrackerKey
  'message_lines.message_id': MessageId
  'message_lines.session_id': SessionKey
  'message_steps.route': MessageRoute
  'message_steps.status': MessageStatus
  'message_waits.address': Address
  'messages.from_kind': MessageSender['kind']
  'messages.id': MessageId
  'messages.kind': MessageKind
  'messages.route': MessageRoute
  'messages.status': MessageStatus
  'messages.task_public_id': TaskId
  'messages.to_address': Address
  'offers.agent_id': AgentKey
  'offers.task_id': TaskKey
  'plans.public_id': PlanId
  'notifications.event': NotificationRow['event']
  'notifications.question_id': QuestionId
  'notifications.status': NotificationRow['status']
  'notify_channels.kind': ChannelKind
  'questions.attempt_id': AttemptKey
  'questions.behavior': QuestionRow['behavior']
  'questions.default_behavior': QuestionRow['default']
  'questions.public_id': QuestionId
  'questions.status': QuestionRow['status']
  'questions.task_id': TaskKey
  'registrations.address': Address
  'registrations.kind': RegistrationRow['kind']
  'rejections.agent_id': AgentKey
  'rejections.task_id': TaskKey
  'saved_views.list': ViewList
  'secret_marks.incarnation_id': IncarnationKey
  'secret_marks.session_id': SessionKey
  'session_issue_choices.issue_id': IssueKey
  'session_issue_choices.session_native_id': SessionId
  'session_issue_views.issue_id': IssueKey
  'session_issue_views.session_native_id': SessionId
  'session_products.kind': ProductKind
  'session_mentions.source': Extract<IssueLinkSource, 'prompt' | 'branch' | 'environment'>
  'sessions.activity': SessionSignals['activity']
  'sessions.id': SessionKey
  'sessions.native_id': SessionId
  'sessions.process_state': SessionSignals['processState']
  'shell_processes.native_id': SubagentId
  'shell_processes.session_id': SessionKey
  'shell_processes.state': ShellState
  'subagent_reads.session_native_id': SessionId
  'subagent_reads.subagent_native_id': SubagentId
  'subagents.end_status': EndStatus
  'subagents.hook_end_status': EndStatus
  'subagents.kind': SubagentKind
  'subagents.native_id': SubagentId
  'subagents.session_id': SessionKey
  'task_dependencies.depends_on': TaskKey
  'task_dependencies.task_id': TaskKey
  'task_log.kind': TaskLogKind
  'task_log.task_id': TaskKey
  'tasks.agent_id': AgentKey
  'tasks.assigned_by': TaskRow['assignedBy']
  'tasks.continuity': TaskRow['continuity']
  'tasks.epic_id': IssueId
  'tasks.failure_class': TaskRow['failureClass']
  'tasks.finished_by': TaskRow['finishedBy']
  'tasks.fork_at': EventId
  'tasks.id': TaskKey
  'tasks.issue_id': IssueId
  'tasks.last_session_native_id': SessionId
  'tasks.next_session_native_id': SessionId
  'tasks.on_child_done': OnChildDone
  'tasks.on_dependency_failure': TaskRow['onDependencyFailure']
  'tasks.parent_id': TaskKey
  'tasks.parent_task_id': TaskId
  'tasks.spawned_session_native_id': SessionId
  'tasks.paused_by': TaskRow['pausedBy']
  'tasks.plan_id': PlanId
  'tasks.public_id': TaskId
  'tasks.reply_to': Address
  'tasks.session_native_id': SessionId
  'tasks.start_rung': TaskRow['startRung']
  'tasks.status': TaskRow['status']
  'tasks.waiting_for': TaskRow['waitingFor']
  'told_changes.issue_id': IssueKey
  'told_changes.session_native_id': SessionId
  'todo_ends.session_native_id': SessionId
  'todo_lists.session_id': SessionKey
  'todo_promotions.issue_id': IssueKey
  'todo_promotions.session_native_id': SessionId
  'todo_promotions.todo_id': TodoId
  'todo_takers.session_native_id': SessionId
  'todo_takers.todo_id': TodoId
  'todos.id': TodoId
  'todos.session_id': SessionKey
  'todos.status': TodoStatus
  'tokens.agent_public_id': AgentId
  'tokens.id': TokenKey
  'tokens.made_by': TokenKey
  'tokens.public_id': TokenId
  'tokens.purpose': TokenPurpose
  'tokens.shared_session': SessionId
  'tokens.shared_beside': SessionId
  'tokens.user_id': UserKey
  'tombstones.kind': 'session' | 'path'
  'trackers.id': TrackerKey
  'users.id': UserKey
  'users.role': UserRole
}
