/** Epics, on which tasks hang. */

import { LEAD } from '../../../domain/access/rules'
import { TASK_LIMITS, TASK_RANGES } from '../../../domain/task/task-limits'
import { AGENTS } from '../callers'
import { json, noun } from '../operation'
import { newTask } from './tasks'

export const epics = noun('epics', {
  create: {
    method: 'POST',
    path: '/api/epics',
    access: LEAD,
    isCreate: true,
    summary: 'Create an epic',
    body: (f) =>
      f.strictObject({
        title: f.words(TASK_LIMITS.title).check(f.minLength(1)),
        description: f.optional(f.words(TASK_LIMITS.text)),
        /** 0 (highest) to 4. */
        priority: f.optional(f.within(TASK_RANGES.epicPriority)),
      }),
    answer: json((schemas) => schemas.OneEpic),
  },
  list: {
    method: 'GET',
    path: '/api/epics',
    access: AGENTS,
    summary: 'List epics with their task counts by status',
    query: (f) => f.strictObject({ limit: f.optional(f.limit(100)), cursor: f.optional(f.cursor()) }),
    answer: json((schemas) => schemas.EpicPage),
  },
  get: {
    method: 'GET',
    path: '/api/epics/:id',
    access: AGENTS,
    summary: 'Get an epic with its task counts by status',
    answer: json((schemas) => schemas.EpicDetail),
  },
  createTask: {
    method: 'POST',
    path: '/api/epics/:id/tasks',
    access: AGENTS,
    takes: 'large',
    isCreate: true,
    summary: 'Create a task in an epic',
    body: newTask,
    ids: { issueId: 'issue', epicId: 'issue' },
    mayNameNewSession: true,
    answer: json((schemas) => schemas.CreatedTask),
  },
})
