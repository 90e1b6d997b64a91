/** A whole day of all sessions, and how it was at a moment. */
import { LEADS } from '../callers'
import { type Fields, json, noun } from '../operation'
import { MAX_DAY_SESSIONS } from '../protocol'

/** Which sessions, and from when to when: the day of a person's time zone. At most 50 hours. */
const dayScope = (f: Fields) => ({
  since: f.time(),
  /** Not included. */
  until: f.time(),
  /** A project: its entry's id in the tree, its folder or its name. */
  project: f.optional(f.text(1_000)),
  /** Only sessions of this agent CLI. */
  agent: f.optional(f.agentCli()),
})

export const days = noun('days', {
  show: {
    method: 'GET',
    path: '/api/days',
    access: LEADS,
    summary: 'Get when the sessions of a day were at work, with prompts, errors and runs',
    query: (f) => f.strictObject(dayScope(f)),
    answer: json((schemas) => schemas.Day),
  },
  moment: {
    method: 'GET',
    path: '/api/days/moment',
    access: LEADS,
    summary: 'Get the sessions of a day as they were at a moment, those at work first',
    query: (f) =>
      f.strictObject({
        ...dayScope(f),
        at: f.time(),
        /** Sessions that are described. Default 40. */
        limit: f.optional(f.limit(MAX_DAY_SESSIONS)),
      }),
    answer: json((schemas) => schemas.DayMoment),
  },
})
