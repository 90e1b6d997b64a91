import { expect, test } from 'bun:test'
import { allOperations, operations } from '../../../src/api/contract/operations'
import { InboxMessage } from '../../../src/api/contract/schemas/inbox'
import { TrackedIssue } from '../../../src/api/contract/schemas/issue'
import { Message } from '../../../src/api/contract/schemas/message'
import { ConversationEvent, FeedEntry } from '../../../src/api/contract/schemas/record/event'
import { Session, Subagent } from '../../../src/api/contract/schemas/record/session'
import { ErrorBody, ImportTotals } from '../../../src/api/contract/schemas/service'
import { Attempt, Issue, Question, Task, TaskLogLine } from '../../../src/api/contract/schemas/task'
import { Todo } from '../../../src/api/contract/schemas/todo-item'
import { Agent, Assignment, JoinAnswer, PollAnswer } from '../../../src/api/contract/schemas/worker'
import { isNamed } from '../../../src/domain/access/access'
import { CALLER_KINDS } from '../../../src/domain/access/caller-kind'
import { schemaOf } from '../answers/declared-answers'

test('methods and paths are pinned: scripts and hooks rely on them', () => {
  const pinned = [
    'GET /api/health public',
    'GET /api/status operator,lead,worker',
    'GET /api/views operator,lead',
    'PUT /api/views operator',
    'POST /api/views/remove operator',
    'GET /api/sessions operator,lead',
    'GET /api/session-facets operator,lead',
    'GET /api/sessions/:id operator,lead,worker',
    'GET /api/sessions/:id/outcome operator,lead,worker',
    'GET /api/sessions/:id/step operator,lead',
    'GET /api/sessions/:id/live operator,lead',
    'GET /api/sessions/:id/changes operator,lead',
    'DELETE /api/sessions/:id operator',
    'GET /api/sessions/:id/tree operator,lead',
    'GET /api/sessions/:id/events operator,lead',
    'GET /api/sessions/:id/events/:eventId operator,lead',
    'GET /api/sessions/:id/journals operator,lead,worker',
    'GET /api/sessions/:id/export operator,lead,worker',
    'GET /api/events operator,lead',
    'GET /api/subagents operator,lead',
    'GET /api/subagents/:id operator,lead',
    'GET /api/tool-uses/:id operator,lead',
    'GET /api/search operator,lead',
    'GET /api/feed operator,lead,worker,attempt',
    'GET /api/feed/page operator,lead,worker,attempt',
    'GET /api/doctor operator',
    'POST /api/import operator',
    'POST /api/rebuild operator',
    'POST /hooks/claude-code operator',
    'GET /api/openapi.json operator,lead,worker,attempt',
    'POST /api/tasks operator,lead,worker,attempt',
    'GET /api/tasks operator,lead,worker,attempt',
    'POST /api/tasks/claim operator,lead,worker',
    'GET /api/tasks/costs operator,lead',
    'GET /api/tasks/:id operator,lead,worker,attempt',
    'PATCH /api/tasks/:id operator,lead,worker',
    'GET /api/tasks/:id/work operator,lead',
    'POST /api/tasks/:id/work/merge operator',
    'POST /api/tasks/:id/work/drop operator',
    'POST /api/tasks/:id/cancel operator,lead,worker,attempt',
    'POST /api/tasks/:id/pause operator,lead,worker',
    'POST /api/tasks/:id/resume operator,lead,worker',
    'POST /api/tasks/:id/deploy operator,lead,worker',
    'POST /api/tasks/:id/retry operator,lead,worker',
    'POST /api/tasks/:id/offer operator,lead,worker',
    'POST /api/tasks/:id/accept operator,lead,worker',
    'POST /api/tasks/:id/reject operator,lead,worker',
    'POST /api/tasks/:id/release operator,lead,worker,attempt',
    'POST /api/tasks/:id/progress operator,lead,worker,attempt',
    'POST /api/tasks/:id/finish operator,lead,worker,attempt',
    'POST /api/tasks/:id/claim operator,lead,worker',
    'POST /api/tasks/:id/input operator,lead,worker,attempt',
    'PUT /api/tasks/:id/claude-session operator,lead,worker,attempt',
    'GET /api/tasks/:id/tree operator,lead,worker,attempt',
    'GET /api/tasks/:id/work-copy operator,lead,worker,attempt',
    'GET /api/tasks/:id/work-copy/part operator,lead,worker,attempt',
    'GET /api/tasks/:id/log operator,lead,worker,attempt',
    'GET /api/tasks/:id/prompt operator,lead,worker,attempt',
    'GET /api/tasks/:id/recall operator,lead,worker,attempt',
    'POST /api/epics operator,lead',
    'GET /api/epics operator,lead,worker',
    'GET /api/epics/:id operator,lead,worker',
    'POST /api/epics/:id/tasks operator,lead,worker',
    'GET /api/questions operator,lead,attempt',
    'GET /api/ready public',
    'GET /api/metrics operator',
    'POST /api/questions/:id/answer operator,lead',
    'POST /api/questions/:id/always-allow operator',
    'GET /api/agent-clis operator,lead,worker,attempt',
    'GET /api/agents operator,lead,worker,attempt',
    'POST /api/agents operator,lead,worker',
    'GET /api/agents/:id operator,lead,worker,attempt',
    'POST /api/agents/:id/poll operator,lead,worker',
    'POST /api/attempts/:id/report operator,worker',
    'PUT /api/attempts/:id/stream operator,worker',
    'PUT /api/attempts/:id/work-copy operator,worker',
    'POST /api/attempts/:id/questions operator,worker',
    'GET /api/sessions/:id/snapshot operator,worker',
    'PUT /api/files operator,worker',
    'POST /mcp operator,lead,worker,attempt',
    'GET /mcp operator,lead,worker,attempt',
    'DELETE /mcp operator,lead,worker,attempt',
    'POST /api/recall operator,lead,worker',
    'POST /api/handoffs operator,lead,worker,attempt',
    'GET /api/handoffs operator,lead',
    'POST /api/issues operator,lead,worker,attempt',
    'GET /api/issues operator,lead,worker,attempt',
    'GET /api/issues/ready operator,lead,worker,attempt',
    'GET /api/issues/blocked operator,lead,worker,attempt',
    'GET /api/issues/stats operator,lead,worker,attempt',
    'GET /api/issues/cycles operator,lead,worker,attempt',
    'GET /api/issues/epics operator,lead,worker,attempt',
    'GET /api/issues/labels operator,lead,worker,attempt',
    'GET /api/issues/trackers operator,lead,worker',
    'GET /api/issues/export operator,lead,worker,attempt',
    'POST /api/issues/import operator,lead',
    'POST /api/issues/sync operator,lead',
    'GET /api/issues/statuses operator,lead,worker,attempt',
    'PUT /api/issues/statuses operator,lead',
    'POST /api/issues/claim operator,lead,worker,attempt',
    'GET /api/issues/:id operator,lead,worker,attempt',
    'PATCH /api/issues/:id operator,lead,worker,attempt',
    'DELETE /api/issues/:id operator,lead',
    'POST /api/issues/:id/close operator,lead,worker,attempt',
    'POST /api/issues/:id/reopen operator,lead,worker,attempt',
    'POST /api/issues/:id/claim operator,lead,worker,attempt',
    'POST /api/issues/:id/release operator,lead,worker,attempt',
    'POST /api/issues/:id/dispatch operator,lead,worker,attempt',
    'GET /api/issues/:id/explain operator,lead,worker,attempt',
    'GET /api/issues/:id/tree operator,lead,worker,attempt',
    'GET /api/issues/:id/history operator,lead,worker,attempt',
    'GET /api/issues/:id/comments operator,lead,worker,attempt',
    'POST /api/issues/:id/comments operator,lead,worker,attempt',
    'POST /api/issues/:id/dependencies operator,lead,worker,attempt',
    'DELETE /api/issues/:id/dependencies/:dependsOnId operator,lead,worker,attempt',
    'GET /api/todos operator,lead,worker,attempt',
    'GET /api/todo-lists operator,lead,attempt',
    'GET /api/todos/:id/history operator,lead,worker,attempt',
    'POST /api/todos/:id/promote operator,lead,worker,attempt',
    'GET /api/sessions/:id/todo-list operator,lead,worker,attempt',
    'POST /api/sessions/:id/todos/sync operator,lead,worker,attempt',
    'POST /api/sessions/:id/todos/finalize operator,lead,worker,attempt',
    'POST /api/sessions/:id/todos/take operator,lead,worker,attempt',
    'GET /api/sessions/:id/issues operator,lead,worker,attempt',
    'PUT /api/sessions/:id/issues/:issue operator,lead,worker,attempt',
    'DELETE /api/sessions/:id/issues/:issue operator,lead,worker,attempt',
    'DELETE /api/sessions/:id/issues operator,lead,worker,attempt',
    'POST /api/sessions/:id/issues/:issue/seen operator,lead,worker,attempt',
    'GET /api/issues/:id/sessions operator,lead,worker,attempt',
    'GET /api/sessions/:id/conversation operator,lead',
    'GET /api/sessions/:id/timeline operator,lead',
    'GET /api/sessions/:id/replay operator,lead',
    'GET /api/sessions/:id/diff/:other operator,lead',
    'GET /api/sessions/:id/recover operator,lead,worker,attempt',
    'GET /api/recover operator,lead',
    'GET /api/retention operator',
    'POST /api/sessions/:id/launch-check operator,lead,worker,attempt',
    'GET /api/subagents/:id/output operator,lead,worker,attempt',
    'POST /api/subagents/:id/stop operator,lead',
    'POST /api/subagents/:id/read operator,lead,worker,attempt',
    'POST /api/messages operator,lead,worker,attempt',
    'GET /api/messages operator,lead,worker,attempt',
    'GET /api/messages/:id operator,lead,worker,attempt',
    'POST /api/messages/:id/withdraw operator,lead,worker,attempt',
    'GET /api/addresses/:id/messages operator,lead,worker,attempt',
    'POST /api/addresses/:id/take operator,lead,worker,attempt',
    'POST /api/addresses/:id/offer operator',
    'POST /api/addresses/:id/ack operator,lead,worker,attempt',
    'GET /api/sessions/:id/messages operator,lead,worker,attempt',
    'POST /api/sessions/:id/messages/ack operator,lead,worker,attempt',
    'POST /api/sessions operator',
    'PUT /api/sessions/:id operator',
    'POST /api/sessions/:id/attach operator',
    'POST /api/sessions/:id/detach operator',
    'GET /api/sessions/:id/tasks operator,lead',
    'GET /api/sessions/:id/active-task operator,lead',
    'POST /api/sessions/:id/resume operator',
    'POST /api/inbox public',
    'GET /api/notify/channels operator',
    'PUT /api/notify/channels/:name operator',
    'DELETE /api/notify/channels/:name operator',
    'POST /api/notify/channels/:name/test operator',
    'GET /api/notify/log operator',
    'POST /api/notify/push-key operator',
    'POST /api/notify/answer public',
    'POST /api/inbox/replies public',
    'GET /api/inbox operator,lead,attempt',
    'GET /api/audit operator',
    'GET /api/audit/check operator',
    'GET /api/inbox-sources operator',
    'PUT /api/inbox-sources/:name operator',
    'DELETE /api/inbox-sources/:name operator',
    'GET /api/inbox/:id operator,lead,attempt',
    'POST /api/inbox/:id/delegate operator,lead,attempt',
    'POST /api/inbox/:id/reply operator,lead,attempt',
    'POST /api/inbox/:id/close operator,lead,attempt',
    'POST /api/plans operator,lead,worker,attempt',
    'GET /api/plans/:id operator,lead,worker,attempt',
    'POST /api/tasks/await operator,lead,worker,attempt',
    'PUT /api/agents/:id operator,lead',
    'GET /api/overview operator,lead',
    'GET /api/digest operator,lead',
    'POST /api/needs/dismiss operator',
    'POST /api/needs/snooze operator',
    'GET /api/tree operator,lead',
    'GET /api/costs operator,lead',
    'GET /api/costs/over-time operator,lead',
    'GET /api/budgets operator,lead',
    'PUT /api/budgets/:name operator',
    'POST /api/budgets/:name/allow operator',
    'DELETE /api/budgets/:name operator',
    'GET /api/fleet operator,lead',
    'GET /api/lanes operator,lead',
    'GET /api/days operator,lead',
    'GET /api/days/moment operator,lead',
    'GET /api/sessions/:id/rows operator,lead',
    'GET /api/sessions/:id/minimap operator,lead',
    'GET /api/sessions/:id/todo-changes operator,lead,worker,attempt',
    'GET /api/sessions/:id/events/:eventId/content operator,lead',
    'POST /api/login/codes operator',
    'POST /api/login public',
    'POST /api/logout public',
    'GET /api/me operator,lead,worker,attempt',
    'GET /api/tokens operator',
    'POST /api/tokens operator',
    'DELETE /api/tokens/:id operator',
    'POST /api/tokens/rotate operator',
    'GET /api/shares operator',
    'POST /api/shares operator',
    'DELETE /api/shares/:id operator',
    'GET /api/shared public',
    'GET /api/sessions/:id/document operator,lead',
    'GET /api/secrets operator',
    'POST /api/secrets/scan operator',
    'DELETE /api/secrets/:id operator',
    'GET /api/workers operator',
    'POST /api/workers operator',
    'POST /api/workers/enter public',
    'DELETE /api/workers/:name operator',
    'POST /api/machines/:name/drain operator',
    'POST /api/machines/:name/resume operator',
    'DELETE /api/machines/:name operator',
    'GET /api/users operator',
    'GET /api/login public',
    'GET /api/login/provider public',
    'GET /api/login/provider/back public',
    'POST /api/users operator',
    'PATCH /api/users/:name operator',
    'DELETE /api/users/:name operator',
    'POST /api/users/:name/codes operator',
  ]
  expect(allOperations.map(({ method, path, access }) => `${method} ${path} ${named(access)}`).sort()).toEqual(
    pinned.sort(),
  )
})

/** Kinds of callers that a row names; what people read derives from the method. */
const named = (access: (typeof allOperations)[number]['access']) =>
  access === 'public'
    ? access
    : CALLER_KINDS.filter((kind) => kind !== 'viewer' && kind !== 'approver' && isNamed(access, kind)).join(',')

const fields = (schema: { shape: object }) => Object.keys(schema.shape).join(' ')

test('the fields of what is answered are pinned', () => {
  expect(fields(Session)).toBe(
    'id agent project cwd status statusEvidence resumedFrom forkedFrom translatedFrom clearedFrom startedAt endedAt lastEventAt model title gitBranch lastWords agentVersion host counts usage usageMain costUsd isEstimate',
  )
  expect(fields(Session.shape.counts)).toBe(
    'events toolCalls errors filesChanged subagents unknownAgents compactions malformedLines',
  )
  expect(fields(Session.shape.usage)).toBe('inputTokens outputTokens cacheReadTokens cacheCreationTokens')
  expect(fields(Subagent)).toBe(
    'id sessionId kind toolUseId parentToolUseId parentId depth type description model background status statusEvidence evidence isContradicted outputFile startedAt endedAt lastEventAt resultPreview counts usage reportedTokens costUsd isEstimate',
  )
  expect(fields(Todo)).toBe(
    'id listId sessionId subagentId nativeId ordinal content activeForm description owner blockedBy status createdAt updatedAt completedAt completedBy changedBy leftOpen promotedTo takenBy',
  )
  expect(fields(ConversationEvent)).toBe(
    'id sessionId type role at subagentId parentToolUseId toolUseId toolName text isCut inherited',
  )
  expect(fields(FeedEntry)).toBe('seq at kind sessionId data')
  expect(fields(ImportTotals)).toBe('files bytes sessions events malformedLines durationMs problems')
  expect(fields(Task)).toBe(
    'id task title status reason priority tags source taskType project dir repository agentId agentName assignedBy creatorAgentId offeredTo offerExpiresAt requiredCapabilities agentCli agentClis neededClis parentTaskId continuity continueNow dependsOn onDependencyFailure epicId issueId planId planKey specialist spawnedBy sessionId claudeSessionId forkAt progress progressAt output failureReason failureClass finishedBy pausedBy waitingFor notBefore model permissionMode maxTurns maxCostUsd timeoutMs retryPolicy worktree attemptCount dispatchReason costUsd createdAt updatedAt startedAt finishedAt',
  )
  expect(fields(Attempt)).toBe(
    'id taskId number isLive agentId agentName host hostName conversation dispatchReason agentCli cwd branch base cliVersion process leaseExpiresAt startedAt endedAt outcome failureClass failureReason exitCode signal numTurns costUsd usage',
  )
  expect(fields(Question)).toBe(
    'id taskId attemptId toolUseId toolName input isCut description dangers alwaysRules status default deadline answer answeredBy askedAt answeredAt',
  )
  expect(fields(Issue)).toBe('id type title description status priority parentId createdAt updatedAt')
  expect(fields(TaskLogLine)).toBe('id at attempt kind text')
  expect(fields(Agent)).toBe(
    'id name kind status host capabilities clis machine drainingSince restartAskedAt concurrency running limitedUntil version description model isSpecialist createdAt lastSeenAt',
  )
  expect(fields(Assignment)).toBe('attemptId generation token leaseMs task conversation agentCli')
  expect(fields(JoinAnswer)).toBe('agent token leaseMs followedRoots epoch')
  expect(fields(PollAnswer)).toBe('assignments commands lost renewed leaseMs serverInstance epoch now')
  expect(fields(Message)).toBe(
    'id seq to from kind cause taskId replyTo wantsReply text isCut fullAt status route evidence createdAt queuedAt deliveredAt consumedAt',
  )
  expect(fields(InboxMessage)).toBe(
    'id source externalId threadKey sender status text receivedAt answeredAt tasks replies followsUp',
  )
  expect(fields(ErrorBody.shape.error)).toBe('code message hint details')
})

test('the documents around them are pinned', () => {
  expect(fields(schemaOf(operations.sessions.list))).toBe('sessions nextCursor')
  expect(fields(schemaOf(operations.sessions.place))).toBe(
    'session subagents backgroundTasks agentCount todos address aliases registration attachments worker',
  )
  expect(fields(schemaOf(operations.sessions.tree))).toBe('session tree')
  expect(fields(schemaOf(operations.sessions.events))).toBe('events nextCursor')
  expect(fields(schemaOf(operations.sessions.event))).toBe('event line')
  expect(fields(schemaOf(operations.events.list))).toBe('events nextCursor')
  expect(fields(schemaOf(operations.subagents.list))).toBe('subagents nextCursor')
  expect(fields(schemaOf(operations.todos.list))).toBe('todos nextCursor')
  expect(fields(schemaOf(operations.search))).toBe('hits isTruncated isByParts facets')
  expect(fields(schemaOf(operations.feed.page))).toBe('entries nextCursor isEnd')
  expect(fields(schemaOf(operations.tasks.create))).toBe('task routed isRepeat')
  expect(fields(schemaOf(operations.tasks.list))).toBe('tasks nextCursor')
  expect(fields(schemaOf(operations.tasks.get))).toBe(
    'task recorded behind lacksCli attempts session children todos questions dependencies',
  )
  expect(fields(schemaOf(operations.tasks.costs))).toBe('costs')
  expect(fields(schemaOf(operations.tasks.tree))).toBe('tree isCut')
  expect(fields(schemaOf(operations.tasks.log))).toBe('lines task')
  expect(fields(schemaOf(operations.tasks.claim))).toBe('assignment')
  expect(fields(schemaOf(operations.epics.get))).toBe('epic counts')
  expect(fields(schemaOf(operations.epics.list))).toBe('epics nextCursor')
  expect(fields(schemaOf(operations.agents.get))).toBe('agent tasks instructions sessions')
  expect(fields(schemaOf(operations.agents.list))).toBe('agents files')
  expect(fields(schemaOf(operations.plans.get))).toBe('plan tasks counts isDone')
  expect(fields(schemaOf(operations.plans.create))).toBe('plan tasks counts isDone isRepeat')
  expect(fields(schemaOf(operations.plans.await))).toBe('tasks messages count more isComplete')
  expect(fields(schemaOf(operations.issues.create))).toBe('issue notices')
  expect(fields(schemaOf(operations.issues.list))).toBe('issues total isTruncated nextCursor notices')
  expect(fields(schemaOf(operations.issues.ready))).toBe('issues total isTruncated notices')
  expect(fields(schemaOf(operations.issues.get))).toBe(
    'issue children dependencies dependents isInFile path tasks notices',
  )
  expect(fields(TrackedIssue)).toBe(
    'id title description design acceptanceCriteria notes specId assignee owner externalRef estimatedMinutes dueAt deferUntil status priority issueType createdAt createdBy updatedAt startedAt closedAt closeReason closedBySession sourceSystem labels dependencies comments activeTaskSession extra dependencyCount dependentCount commentCount parentId isBlocked claim taskAtWork',
  )
  expect(fields(schemaOf(operations.questions.list))).toBe('questions nextCursor')
  expect(fields(schemaOf(operations.todos.lists))).toBe('lists nextCursor')
  expect(fields(schemaOf(operations.todos.history))).toBe('todo history droppedCount')
  expect(fields(schemaOf(operations.todos.ofSession))).toBe(
    'sessionId title agent status statusEvidence issues suggestion startedAt lastEventAt lastSyncAt endedAt leftOutCount progress todos',
  )
  expect(fields(schemaOf(operations.todos.sync))).toBe('sessionId syncedCount leftOutCount changed')
  expect(fields(schemaOf(operations.links.ofSession))).toBe('issues suggestion')
  expect(fields(schemaOf(operations.messages.list))).toBe('messages nextCursor')
  expect(fields(schemaOf(operations.messages.get))).toBe('message steps waits')
  expect(fields(schemaOf(operations.sessions.register))).toBe('registration isNew')
  expect(fields(schemaOf(operations.sessions.attach))).toBe(
    'address attachment isReattached others missed hasMore nextAfter',
  )
  expect(fields(schemaOf(operations.sessions.resume))).toBe('address sessionId interactive task')
  expect(fields(schemaOf(operations.messages.take))).toBe('messages count')
  expect(fields(schemaOf(operations.messages.offer))).toBe('messages count')
  expect(fields(schemaOf(operations.links.ofIssue))).toBe('sessions isTruncated')
})
