/** Views for a person with many agents at once. */
import { BUDGET_ACTIONS, BUDGET_PERIODS, BUDGET_UNITS } from '../../../domain/budget/budget'
import { COST_STACKS } from '../../../domain/cost/cost'
import { COST_STEPS } from '../../../domain/cost/periods'
import { MOST_LANE_MINUTES } from '../../../domain/overview/lane'
import { COST_GROUPS, TREE_STATUSES } from '../../../domain/overview/tree-entry'
import { APPROVERS, LEADS, OPERATOR } from '../callers'
import { alone, type Fields, json, noun } from '../operation'
import { MAX_LEVEL, MAX_NEEDS, MAX_WORK_LANES } from '../protocol'

export const overview = alone('overview', {
  method: 'GET',
  path: '/api/overview',
  access: LEADS,
  summary: 'Get what needs a person, what is running, and what finished since a given time',
  query: (f) =>
    f.strictObject({
      /** What finished after this. Default: the last day. */
      since: f.optional(f.time()),
      /** Only what is of this agent CLI, in lists and counts. */
      agent: f.optional(f.agentCli()),
      /** Only needs of this cause; the other lists are empty then. */
      cause: f.optional(f.text(100)),
      /** Without the first this many of these needs: the next part of a long list. */
      skip: f.optional(f.whole(0, 1_000_000)),
      /** For each of the three lists. Default 100. */
      limit: f.optional(f.limit(MAX_NEEDS)),
    }),
  answer: json((schemas) => schemas.Overview),
})

export const digest = alone('digest', {
  method: 'GET',
  path: '/api/digest',
  access: LEADS,
  summary: 'Get what was done, failed, changed and spent since a given time, by repository, and what is usual',
  query: (f) =>
    f.strictObject({
      /** Default: the last day. At most 90 days ago. */
      since: f.optional(f.time()),
      /** Only what is of this agent CLI. */
      agent: f.optional(f.agentCli()),
    }),
  answer: json((schemas) => schemas.Digest),
})

export const needs = noun('needs', {
  dismiss: {
    method: 'POST',
    path: '/api/needs/dismiss',
    access: APPROVERS,
    summary: 'Dismiss an entry from the list of what needs a person, until it happens again',
    body: (f) => f.strictObject({ id: f.text(500) }),
    answer: json((schemas) => schemas.Dismissed),
  },
  snooze: {
    method: 'POST',
    path: '/api/needs/snooze',
    access: APPROVERS,
    summary: 'Put off an entry of the list of what needs a person until a time; a time that is over puts it back',
    body: (f) => f.strictObject({ id: f.text(500), until: f.time() }),
    answer: json((schemas) => schemas.Snoozed),
  },
})

export const tree = noun('tree', {
  level: {
    method: 'GET',
    path: '/api/tree',
    access: LEADS,
    summary:
      'Get the children of one node in the tree of all work: projects, tasks, sessions, agents, calls and to-dos',
    query: (f) =>
      f.strictObject({
        /** An entry's id; without it the projects. */
        under: f.optional(f.text(1_000)),
        /** Only entries of this status, and those on the way to one; to-dos are plans and fit none. */
        status: f.optional(f.array(f.enum(TREE_STATUSES))),
        /** Only what needs a person, as the overview has it. */
        needed: f.optional(f.boolean()),
        /** Only tasks and sessions whose title holds this, and what stands above them. */
        q: f.optional(f.text(200)),
        /** Only sessions of this agent CLI, and the tasks that have one. */
        agent: f.optional(f.agentCli()),
        /** Only what was heard of after this; tokens and costs are those since. */
        since: f.optional(f.time()),
        limit: f.optional(f.limit(MAX_LEVEL)),
        cursor: f.optional(f.cursor()),
      }),
    answer: json((schemas) => schemas.TreeLevel),
  },
})

/** Which messages are summed. */
const costFilters = (f: Fields) => ({
  /** A project: its entry's id in the tree, its folder or its name. */
  project: f.optional(f.text(1_000)),
  model: f.optional(f.text(200)),
  agent: f.optional(f.agentCli()),
  sessionId: f.optional(f.id()),
  taskId: f.optional(f.id()),
  /** The time zone of the days: an IANA name like `Europe/Berlin`. Default `UTC`. */
  timeZone: f.optional(f.text(64)),
})

export const costs = alone('costs', {
  method: 'GET',
  path: '/api/costs',
  access: LEADS,
  summary: 'Get tokens and US dollars by project, day, model, agent CLI, sub-agent type, session or task',
  query: (f) =>
    f.strictObject({
      by: f.enum(COST_GROUPS),
      since: f.optional(f.time()),
      until: f.optional(f.time()),
      ...costFilters(f),
      limit: f.optional(f.limit(MAX_LEVEL)),
    }),
  answer: json((schemas) => schemas.Costs),
})

export const costsOverTime = alone('costsOverTime', {
  method: 'GET',
  path: '/api/costs/over-time',
  access: LEADS,
  summary:
    'Get tokens and US dollars by hour, day or week, each split by model, agent CLI, project, sub-agent type or person',
  query: (f) =>
    f.strictObject({
      step: f.enum(COST_STEPS),
      stack: f.enum(COST_STACKS),
      since: f.time(),
      until: f.optional(f.time()),
      ...costFilters(f),
    }),
  answer: json((schemas) => schemas.CostsOverTime),
})

export const budgets = noun('budgets', {
  list: {
    method: 'GET',
    path: '/api/budgets',
    access: LEADS,
    summary: 'List the budgets, what is used of each, and which tasks wait for it',
    answer: json((schemas) => schemas.Budgets),
  },
  put: {
    method: 'PUT',
    path: '/api/budgets/:name',
    access: OPERATOR,
    summary: 'Add or change a budget; what is left out stays as it was',
    body: (f) =>
      f.strictObject({
        unit: f.optional(f.enum(BUDGET_UNITS)),
        /** The limit, in dollars or tokens. A new budget needs it. */
        most: f.optional(f.number('must be a number')),
        /** Default: `day`; of a task `ever`. */
        period: f.optional(f.enum(BUDGET_PERIODS)),
        /** The time zone of days and months: an IANA name like `Europe/Berlin`. Default `UTC`. */
        zone: f.optional(f.text(100)),
        /** Default `warn`. */
        action: f.optional(f.enum(BUDGET_ACTIONS)),
        /** A project: its entry's id in the tree, its folder or its name; `null` = all. */
        project: f.optional(f.nullable(f.text(1_000))),
        agentCli: f.optional(f.nullable(f.agentCli())),
        /** A type of sub-agents. */
        subagent: f.optional(f.nullable(f.text(200))),
        /** A task, with all tasks below it. */
        taskId: f.optional(f.nullable(f.id())),
      }),
    answer: json((schemas) => schemas.SavedBudget),
  },
  allow: {
    method: 'POST',
    path: '/api/budgets/:name/allow',
    access: OPERATOR,
    summary: 'Allow more than a budget until its period ends',
    body: (f) =>
      f.strictObject({
        /** In the budget's unit. Default: the limit once more. */
        more: f.optional(f.number('must be a number')),
      }),
    answer: json((schemas) => schemas.SavedBudget),
  },
  remove: {
    method: 'DELETE',
    path: '/api/budgets/:name',
    access: OPERATOR,
    summary: 'Remove a budget; tasks that wait for it go on',
    answer: 'empty',
  },
})

export const fleet = alone('fleet', {
  method: 'GET',
  path: '/api/fleet',
  access: LEADS,
  summary: 'Get hosts, agents, live leases and the queue',
  query: (f) => f.strictObject(f.taskTexts()),
  answer: json((schemas) => schemas.Fleet),
})

export const lanes = alone('lanes', {
  method: 'GET',
  path: '/api/lanes',
  access: LEADS,
  summary:
    'Get what is at work with its history of the last minutes: when it was busy, and when it waited for an answer',
  query: (f) =>
    f.strictObject({
      /** How far back. Default 60. */
      minutes: f.optional(f.limit(MOST_LANE_MINUTES)),
      limit: f.optional(f.limit(MAX_WORK_LANES)),
    }),
  answer: json((schemas) => schemas.Lanes),
})
