import type { AgentRow, AttemptRow, QuestionRow, TaskRow } from '../../domain/task/task-store'
import { columnsOf } from '../sql/columns'

export const TASK = columnsOf<TaskRow>()('tasks', {
  named: {
    key: 'id',
    id: 'public_id',
    agentKey: 'agent_id',
    creatorAgentKey: 'creator_agent_id',
    parentKey: 'parent_id',
    spawnedSessionId: 'spawned_session_native_id',
    sessionId: 'session_native_id',
    lastSessionId: 'last_session_native_id',
    nextSessionId: 'next_session_native_id',
    specialistId: 'specialist',
  },
  kept: {
    tags: 'json',
    requiredCapabilities: 'json',
    agentClis: 'json',
    neededClis: 'json',
    continueNow: 'flag',
    retryPolicy: 'json',
    isWorktree: 'flag',
  },
  without: ['offered_to', 'capability_set', 'queue_priority', 'open_to', 'due_at'],
})

export const AGENT = columnsOf<AgentRow>()('agents', {
  named: { key: 'id', id: 'public_id' },
  kept: { capabilities: 'json', clis: 'json', machine: 'json', cliLimits: 'json', fallsOver: 'flag' },
  without: [],
})

/** An attempt's own columns; its task's id is the task's. */
export const ATTEMPT = columnsOf<Omit<AttemptRow, 'taskId'>>()('attempts', {
  named: { key: 'id', id: 'public_id', taskKey: 'task_id', agentKey: 'agent_id' },
  kept: { conversation: 'json', usage: 'json' },
  without: [],
})

/** Columns of a select from `attempts a join tasks t`. */
export const ATTEMPT_COLUMNS = `${ATTEMPT.select('a')}, t.public_id as "taskId"`

export const readAttempt = (selected: object): AttemptRow => ATTEMPT.read(selected as { taskId: AttemptRow['taskId'] })

export const QUESTION = columnsOf<QuestionRow>()('questions', {
  named: { id: 'public_id', attemptKey: 'attempt_id', taskKey: 'task_id', default: 'default_behavior' },
  kept: { isCut: 'flag', isTaken: 'flag' },
  without: ['id'],
})

/** Columns of a select from `issues i`, for what a task shows of its issue. */
export const ISSUE_COLUMNS = `i.public_id as id, i.type as type, i.title as title, i.description as description,
  i.status as status, i.priority as priority, i.parent_public_id as "parentId", i.created_text as "createdAt",
  i.updated_text as "updatedAt"`
