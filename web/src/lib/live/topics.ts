import type { FeedEntry } from '#api/contract/wire'

/**
 * The first part of a query key: what the query is about. The key continues with the ID of the thing, if it is about one, and then with the
 * input: `['task', taskId]`, `['rows', sessionId, …]`, `['issues', filter]`.
 */
export const TOPICS = [
  'overview',
  'tree',
  'session',
  /** Lists of sessions, and what they are counted by. */
  'sessions',
  'rows',
  'timeline',
  'task',
  'log',
  'tasks',
  /** Recorded costs of tasks. */
  'task-costs',
  'issue',
  /** Sessions and tasks that work on an issue. */
  'issue-work',
  'issues',
  'messages',
  'inbox',
  'fleet',
  'costs',
  'doctor',
  /** Saved views of lists. */
  'views',
] as const
export type Topic = (typeof TOPICS)[number]

/** A prefix of query keys whose data may have changed. */
export type StaleKey = readonly [Topic] | readonly [Topic, string]

/** Milliseconds between two refreshes of a topic while changes keep coming. The first change after a quiet moment is shown at once. */
export const QUIET_MS: Record<Topic, number> = {
  overview: 400,
  tree: 500,
  session: 400,
  sessions: 5_000,
  rows: 60,
  timeline: 2_000,
  task: 150,
  log: 120,
  tasks: 400,
  'task-costs': 1_000,
  issue: 200,
  'issue-work': 1_000,
  issues: 400,
  messages: 150,
  inbox: 400,
  fleet: 1_000,
  costs: 10_000,
  doctor: 10_000,
  views: 200,
}

/**
 * Milliseconds that a calm change of a topic waits even after a quiet moment. So the lines of a conversation, which a person reads live, are
 * fetched and drawn first.
 */
export const CALM_MS: Record<Topic, number> = {
  ...QUIET_MS,
  overview: 150,
  tree: 150,
  session: 200,
  rows: 0,
  timeline: 500,
  task: 0,
  log: 0,
}

/** Whether changes of this kind come by the hundred while agents work. */
export const isCalm = (kind: FeedEntry['kind']): boolean =>
  kind === 'events.recorded' || kind === 'session.updated' || kind === 'subagent.updated' || kind === 'todo.updated'

/** Key of the recorded costs of all tasks. */
const TASK_COSTS: StaleKey = ['task-costs']

/** Lists of issues that show the running task. */
const LISTS_WITH_TASKS: readonly StaleKey[] = [
  ['issues', 'list'],
  ['issues', 'column'],
  ['issues', 'ready'],
  ['issues', 'blocked'],
]

/** These lists change only when a task starts or stops, or when its issue, folder or conversation changes. */
const atWork = ({ from, to, fields, claudeSessionId }: FeedEntry['data']): readonly StaleKey[] =>
  from === 'in_progress' || to === 'in_progress' || fields !== undefined || claudeSessionId !== undefined
    ? LISTS_WITH_TASKS
    : []

/** The keys that a feed entry makes stale. Unknown kinds affect nothing that the dashboard shows. */
export function staleBy({ kind, sessionId, data }: FeedEntry): StaleKey[] {
  const task = typeof data.taskId === 'string' ? data.taskId : null
  const ofSession = (topic: Topic): StaleKey[] => (sessionId === null ? [] : [[topic, sessionId]])
  const ofLog: StaleKey[] = task === null ? [] : [['log', task]]
  const ofTask: StaleKey[] = task === null ? [] : [['task', task], ...ofLog]
  switch (kind) {
    case 'events.recorded':
      return [
        ...ofSession('rows'),
        ...ofSession('session'),
        ...ofSession('timeline'),
        ['overview'],
        ['tree'],
        ['costs'],
        ['sessions'],
        // The entry does not say which task the conversation belongs to.
        TASK_COSTS,
      ]
    case 'session.created':
    case 'session.updated':
    case 'session.forgotten':
    case 'subagent.updated':
    case 'journal.rewritten':
      return [
        ...ofSession('session'),
        ...ofSession('rows'),
        ['overview'],
        ['tree'],
        ['fleet'],
        ['sessions'],
        ['issue-work'],
        // The session was forgotten with its messages, or it was found under an ID that an attempt had reported before.
        ...(kind === 'session.created' || kind === 'session.forgotten' ? [TASK_COSTS] : []),
      ]
    case 'todo.updated':
      return [...ofSession('session'), ...ofTask, ['overview'], ['tree'], ['issue-work']]
    case 'task.updated':
      // Log lines are by far the most frequent entries of tasks, and change nothing else.
      if (typeof data.log === 'number') return ofLog
      return [...atWork(data), ...ofTask, ['tasks'], ['overview'], ['tree'], ['fleet'], ['issue'], ['issue-work']]
    case 'task.created':
    case 'task.moved':
      return [
        ...atWork(data),
        ...ofTask,
        ['tasks'],
        ['overview'],
        ['tree'],
        ['fleet'],
        ['issue'],
        ['issue-work'],
        // A request shows its tasks.
        ['inbox'],
      ]
    case 'attempt.updated': {
      // The attempt may have reported its conversation.
      const ofAttempt: StaleKey[] = [
        ['tasks'],
        ['overview'],
        ['tree'],
        ['fleet'],
        ['issue'],
        ['issue-work'],
        TASK_COSTS,
      ]
      return [...atWork(data), ...ofTask, ...ofAttempt]
    }
    case 'question.updated':
      // A task with an open question is shown as waiting in every list.
      return [...ofTask, ['tasks'], ['overview'], ['tree'], ['fleet'], ['issue-work']]
    case 'message.updated':
      return [...ofTask, ['messages'], ['overview']]
    case 'inbox.updated':
      return [['inbox'], ['overview']]
    case 'agent.updated':
      return [['fleet'], ['overview']]
    case 'issue.created':
    case 'issue.updated':
    case 'issue.deleted':
    case 'issues.imported':
      // Pages also show related issues and what blocks them.
      return [['issues'], ['issue'], ['issue-work']]
    case 'address.updated':
      return [...ofSession('session'), ['messages']]
    case 'budget.updated':
      return [['costs'], ['overview']]
    case 'view.updated':
      return [['views']]
    case 'need.dismissed':
    case 'need.snoozed':
      return [['overview'], ['tree']]
    default:
      return []
  }
}
