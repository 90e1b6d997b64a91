import type { FeedEntry } from '../../../src/api/contract/wire'

/**
 * What a query's answer is about: the first part of its key. A key goes on with the id of the one thing, where there is one, and then with
 * what was asked: `['task', taskId]`, `['rows', sessionId, …]`, `['issues', filter]`.
 */
export const TOPICS = [
  'overview',
  'tree',
  'session',
  'rows',
  'timeline',
  'task',
  'log',
  'tasks',
  /** What is recorded of tasks. */
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
] as const
export type Topic = (typeof TOPICS)[number]

/** The beginning of the keys whose answers may have changed. */
export type StaleKey = readonly [Topic] | readonly [Topic, string]

/** Milliseconds between two looks at a topic while changes keep coming; the first change after a quiet moment is shown at once. */
export const QUIET_MS: Record<Topic, number> = {
  overview: 400,
  tree: 500,
  session: 400,
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
}

/**
 * Milliseconds that dull news of a topic waits even after a quiet moment, so that the lines of a conversation, which a person reads as they
 * come, are asked for and drawn first.
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

/** Kinds that come by the hundred while agents work. */
export const isCalm = (kind: FeedEntry['kind']): boolean =>
  kind === 'events.recorded' || kind === 'session.updated' || kind === 'subagent.updated' || kind === 'todo.updated'

const OF_TASKS: StaleKey = ['task-costs']

/** Lists of issues that show which task is at work. */
const AT_WORK: readonly StaleKey[] = [
  ['issues', 'list'],
  ['issues', 'column'],
  ['issues', 'ready'],
  ['issues', 'blocked'],
]

/** A task begins or ends its work, or its issue, folder or conversation becomes another: what else happens to it these lists don't show. */
const atWork = ({ from, to, fields, claudeSessionId }: FeedEntry['data']): readonly StaleKey[] =>
  from === 'in_progress' || to === 'in_progress' || fields !== undefined || claudeSessionId !== undefined ? AT_WORK : []

/** Which answers a change of the feed makes old. Kinds that we don't know change nothing that we show. */
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
        // Whose conversation it is, an entry does not say.
        OF_TASKS,
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
        ['issue-work'],
        // Forgotten with its messages, or found under an id that an attempt had told before.
        ...(kind === 'session.created' || kind === 'session.forgotten' ? [OF_TASKS] : []),
      ]
    case 'todo.updated':
      return [...ofSession('session'), ...ofTask, ['overview'], ['tree'], ['issue-work']]
    case 'task.updated':
      // Lines of the log, by far the most that is told of tasks, change nothing else.
      if (typeof data.log === 'number') return ofLog
      return [...atWork(data), ...ofTask, ['tasks'], ['overview'], ['tree'], ['fleet'], ['issue'], ['issue-work']]
    case 'task.created':
    case 'task.moved':
      return [...atWork(data), ...ofTask, ['tasks'], ['overview'], ['tree'], ['fleet'], ['issue'], ['issue-work']]
    case 'attempt.updated': {
      // It may have told its conversation.
      const ofAttempt: StaleKey[] = [['tasks'], ['overview'], ['tree'], ['fleet'], ['issue'], ['issue-work'], OF_TASKS]
      return [...atWork(data), ...ofTask, ...ofAttempt]
    }
    case 'question.updated':
      // A task with a question open shows as waiting wherever it is listed.
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
      // Of each issue its neighbours are shown too, and what holds them up.
      return [['issues'], ['issue'], ['issue-work']]
    case 'address.updated':
      return [...ofSession('session'), ['messages']]
    case 'need.dismissed':
      return [['overview'], ['tree']]
    default:
      return []
  }
}
