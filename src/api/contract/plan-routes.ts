import { EVERYONE, LEADS, type Route } from './route'

/** Requests about plans, waiting for tasks, and about the agents that their tasks are for. */
export const PLAN_ROUTES = {
  'plans.create': {
    method: 'POST',
    path: '/api/plans',
    access: EVERYONE,
    takes: 'large',
    isCreate: true,
    answer: 'json',
    summary: 'Creates several tasks with dependencies between them: all or none',
  },
  'plans.get': {
    method: 'GET',
    path: '/api/plans/:id',
    access: EVERYONE,
    answer: 'json',
    summary: 'A plan with its tasks and how far they are',
  },
  'tasks.await': {
    method: 'POST',
    path: '/api/tasks/await',
    access: EVERYONE,
    answer: 'json',
    summary: 'Waits until tasks are over, all or any, and gives what waits for the caller with them',
  },
  'agents.describe': {
    method: 'PUT',
    path: '/api/agents/:id',
    access: LEADS,
    answer: 'json',
    summary: 'Describes an agent by its name: instructions and model of its runs; makes it where there is none',
  },
} as const satisfies Record<string, Route>
