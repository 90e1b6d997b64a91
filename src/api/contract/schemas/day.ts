import * as z from 'zod/mini'
import { EVENT_TYPES, TODO_STATUSES } from '../../../domain/record/observation'
import { SESSION_STATUSES, SUBAGENT_STATUSES } from '../../../domain/session/session'
import { AgentNameSchema } from './record/session'
import { Instant, MaybeInstant, MaybeText, sessionIdSchema, subagentIdSchema, todoIdSchema } from './scalars'

const PARTS = z.array(z.object({ first: z.int(), last: z.int() }))
const FACE = { id: sessionIdSchema, agent: AgentNameSchema, title: MaybeText, project: MaybeText }

/**
 * A session of a day. `busy`: when its turns and sub-agents were at work, `runs`: when runs of tasks had it, both as first and last part of
 * `partMs` each, counted from 0. `prompts`, `errors`: parts that have some.
 */
export const DayLane = z.object({
  ...FACE,
  busy: PARTS,
  runs: PARTS,
  prompts: z.array(z.int()),
  errors: z.array(z.int()),
})

/**
 * The sessions of a day in the order in which they began. `active`: when any of them was at work. `total`: of all, also beyond those that
 * have a lane. `isCut`: there was more than was looked at.
 */
export const Day = z.object({
  from: Instant,
  to: Instant,
  partMs: z.int(),
  total: z.int(),
  lanes: z.array(DayLane),
  active: z.array(z.object({ from: Instant, to: Instant })),
  isCut: z.boolean(),
})

/** What an agent did last: its newest call or words. `isOpen`: the call was not answered yet. */
export const DayDeed = z.object({
  at: Instant,
  type: z.enum(EVENT_TYPES),
  tool: MaybeText,
  text: MaybeText,
  isOpen: z.boolean(),
})

const shown = <Item extends z.core.$ZodType>(item: Item) => ({ total: z.int(), shown: z.array(item) })

/** A sub-agent as it was at a moment. `doing`: of those at work. */
export const DayAgent = z.object({
  id: subagentIdSchema,
  kind: z.enum(['agent', 'shell', 'monitor']),
  type: MaybeText,
  description: MaybeText,
  parentId: z.nullable(subagentIdSchema),
  depth: z.nullable(z.int()),
  status: z.enum(SUBAGENT_STATUSES),
  startedAt: MaybeInstant,
  endedAt: MaybeInstant,
  doing: z.nullable(DayDeed),
})

/** A session as it was at a moment, with its title of now. `shown`: the first 20 of `total`: at work, open or newest first. */
export const DaySession = z.object({
  ...FACE,
  gitBranch: MaybeText,
  status: z.enum(SESSION_STATUSES),
  startedAt: MaybeInstant,
  heardAt: MaybeInstant,
  lastWords: MaybeText,
  doing: z.nullable(DayDeed),
  agents: z.object({ ...shown(DayAgent), running: z.int() }),
  todos: z.object({
    ...shown(
      z.object({
        id: todoIdSchema,
        content: z.string(),
        status: z.enum(TODO_STATUSES),
        subagentId: z.nullable(subagentIdSchema),
      }),
    ),
    completed: z.int(),
  }),
  files: z.object(shown(z.string())),
})

/** The sessions of a day as they were at a moment: those at work first. `total`: all that had been heard of by then. */
export const DayMoment = z.object({
  at: Instant,
  total: z.int(),
  working: z.int(),
  sessions: z.array(DaySession),
})
