/** Reminders of a session's goal and state, and hand-overs. */

import { LEAD, READ_SESSION, WRITE_HANDOFF } from '../../../domain/access/rules'
import type { IssueId, SubagentId } from '../../../domain/ids'
import { SESSION_MOMENTS } from '../../../domain/recall/recall'
import { alone, json, noun } from '../operation'

export const recall = alone('recall', {
  // A hand-over is given by it, and then to nobody else.
  method: 'POST',
  path: '/api/recall',
  access: READ_SESSION,
  summary: "Get the text for a session's agent at a given moment, at most 2,000 tokens; delivers a waiting hand-over",
  body: (f) =>
    f.strictObject({
      moment: f.enum(SESSION_MOMENTS),
      /** Without it nobody is given a hand-over: it is shown only. */
      sessionId: f.optional(f.id()),
      /** What the same process held before `clear`, or what it forks. */
      origin: f.optional(f.id()),
      /** The sub-agent of the session that gets the reminder, after its own compaction. */
      subagentId: f.optional(f.idOf<SubagentId>()),
      /** Absolute; where the session works. */
      folder: f.text(4_096),
      /** The issue that its environment names. */
      issueId: f.optional(f.idOf<IssueId>()),
      /** Shows what the session would get, and gives out no hand-over and no news. */
      isLook: f.optional(f.boolean()),
    }),
  mayNameNewSession: true,
  answer: 'text',
})

export const handoffs = noun('handoffs', {
  create: {
    method: 'POST',
    path: '/api/handoffs',
    access: WRITE_HANDOFF,
    summary: 'Leave a hand-over for the next session in a folder or on an issue',
    body: (f) =>
      f.strictObject({
        /** The session or task to hand over; a run hands over its own. */
        sessionId: f.optional(f.id()),
        folder: f.text(4_096),
        /** Given to a session on this issue; `linked` = the one that the session works on. */
        to: f.optional(f.id()),
        /** The writer's own words. */
        note: f.optional(f.words()),
        /** These stand in for what the record says. */
        goal: f.optional(f.words()),
        state: f.optional(f.words()),
        evidence: f.optional(f.words()),
        next: f.optional(f.words()),
      }),
    answer: json((schemas) => schemas.OneHandoff),
  },
  list: {
    method: 'GET',
    path: '/api/handoffs',
    access: LEAD,
    summary: 'List hand-overs with their recipients, newest first',
    query: (f) => f.strictObject({ folder: f.optional(f.text(4_096)), limit: f.optional(f.limit(500)) }),
    answer: json((schemas) => schemas.HandoffList),
  },
})
