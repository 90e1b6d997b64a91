/** Sub-agents and background work: what became of it, its output, its end. A run's token is for its own conversation. */
import { OWN_SESSION } from '../../../domain/access/rules'
import { LEADS } from '../callers'
import { alone, type Fields, json, noun } from '../operation'
import { MAX_RECOVERED, MAX_TAIL_LINES } from '../protocol'

export const recovered = (f: Fields) => ({
  limit: f.optional(f.limit(MAX_RECOVERED)),
  /** What was read too. */
  all: f.optional(f.boolean()),
})

const session = (f: Fields) => ({
  /** Its session, where several have such an id. */
  sessionId: f.optional(f.id()),
})

export const subagents = noun('subagents', {
  list: {
    method: 'GET',
    path: '/api/subagents',
    access: LEADS,
    summary: "List a session's sub-agents and background work",
    query: (f) =>
      f.strictObject({
        sessionId: f.id(),
        /** Without it: agents alone. */
        kinds: f.optional(f.array(f.enum(['agent', 'shell', 'monitor']))),
        ...f.paging(),
      }),
    answer: json((schemas) => schemas.SubagentPage),
  },
  get: {
    method: 'GET',
    path: '/api/subagents/:id',
    access: LEADS,
    summary: 'Get one sub-agent with its runs; name its session if several sub-agents have the ID',
    query: (f) => f.strictObject({ sessionId: f.optional(f.id()) }),
    answer: json((schemas) => schemas.SubagentDetail),
  },
  output: {
    method: 'GET',
    path: '/api/subagents/:id/output',
    access: OWN_SESSION,
    summary: 'Get the output of a sub-agent, background shell or monitor, from its file or the record',
    query: (f) =>
      f.strictObject({
        ...session(f),
        /** The last lines alone. */
        tail: f.optional(f.limit(MAX_TAIL_LINES)),
      }),
    answer: json((schemas) => schemas.SubagentOutput),
  },
  stop: {
    method: 'POST',
    path: '/api/subagents/:id/stop',
    access: LEADS,
    summary: 'Stop a background shell if its process is known for certain',
    body: (f) => f.strictObject(session(f)),
    answer: json((schemas) => schemas.StoppedSubagent),
  },
  markRead: {
    method: 'POST',
    path: '/api/subagents/:id/read',
    access: OWN_SESSION,
    summary: 'Mark a result as read, so that it is no longer offered',
    body: (f) =>
      f.strictObject({
        ...session(f),
        /** Its newest run by default. */
        run: f.optional(f.limit(1_000_000)),
      }),
    answer: json((schemas) => schemas.ReadSubagent),
  },
})

export const recover = alone('recover', {
  method: 'GET',
  path: '/api/recover',
  access: LEADS,
  summary: "List running, unread, failed and lost background work of a project's latest sessions",
  query: (f) =>
    f.strictObject({
      /** Absolute; sessions that work in it or below. */
      project: f.text(4_096),
      /** Only of sessions of this agent CLI. */
      agent: f.optional(f.agentCli()),
      ...recovered(f),
    }),
  answer: json((schemas) => schemas.ProjectRecovery),
})
