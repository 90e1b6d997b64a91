import type { OverviewReads } from '../../domain/overview/overview-store'
import { budgetReads } from '../budgets/reads'
import { readTaskCosts } from '../costs/task-costs'
import type { ReadContext } from '../sql/read-context'
import { newRequests, openQuestions, waitingMessages } from './asked'
import { dismissedNeeds, hasDismissedBefore } from './dismissals'
import { costsSince, linesByPart, waitsOfTasks } from './lanes'
import { endedRuns, runFaces, unreadRuns } from './runs'
import { continuedSessions, lastWords, sessionCosts, sessionFaces, weighedSessions } from './sessions'
import { finishedTasks, openTasks, taskFaces, tasksOfSessions } from './tasks'
import { untakenTasks } from './untaken'
import { editCounts, sessionWork } from './work'

/** Reads for what needs a person, what runs and what finished. */
export const overviewReads = (context: ReadContext): OverviewReads => ({
  sessions: (window) => weighedSessions(context, window),
  openTasks: (limit) => openTasks(context, limit),
  finishedTasks: (since, limit) => finishedTasks(context, since, limit),
  untaken: (now, told) => untakenTasks(context, now, told),
  tasksOf: (sessions) => tasksOfSessions(context, sessions),
  unreadRuns: (since, limit) => unreadRuns(context, since, limit),
  endedRuns: (since, limit) => endedRuns(context, since, limit),
  questions: (now, limit) => openQuestions(context, now, limit),
  requests: (limit) => newRequests(context, limit),
  messages: (limit) => waitingMessages(context, limit),
  budgets: () => budgetReads(context).rows(),
  continued: (keys) => continuedSessions(context, keys),
  dismissed: (needs, now) => dismissedNeeds(context, needs, now),
  hasDismissedBefore: (before) => hasDismissedBefore(context, before),
  sessionFaces: (keys) => sessionFaces(context, keys),
  sessionWork: (of) => sessionWork(context, of),
  edits: (keys, since) => editCounts(context, keys, since),
  lines: (keys, since, partMs) => linesByPart(context, keys, since, partMs),
  waits: (keys, since) => waitsOfTasks(context, keys, since),
  costsSince: (keys, since) => costsSince(context, keys, since),
  lastWords: (keys) => lastWords(context, keys),
  costs: (keys) => sessionCosts(context, keys),
  taskCosts: (keys) => readTaskCosts(context, keys),
  taskFaces: (keys) => taskFaces(context, keys),
  runFaces: (runs) => runFaces(context, runs),
})
