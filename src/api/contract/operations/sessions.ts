/**
 * Recorded sessions, as people and programs read them, and which program is at which address. Only an operator's token registers, attaches
 * and resumes.
 */

import { COPY_SESSION, OWN_SESSION, READ_ADDRESS, READ_SESSION } from '../../../domain/access/rules'
import { REGISTRY_LIMITS } from '../../../domain/registry'
import { DOCUMENT_FORMATS } from '../../../domain/session/document'
import { MAP_KINDS } from '../../../domain/session/minimap'
import { STEP_KINDS } from '../../../domain/session/outcome'
import { SHOWN_SESSION_STATUSES } from '../../../domain/session/session'
import { SESSION_SORTS } from '../../../domain/session/session-list'
import { TASK_LIMITS } from '../../../domain/task/task-limits'
import { LEADS, OPERATOR } from '../callers'
import { type Fields, json, lines, noun } from '../operation'
import { MAX_CHANGES, MAX_DEPTH, MAX_LANES, MAX_LISTED_AGENTS, MAX_ROWS, MAX_TURNS } from '../protocol'
import { taskFields } from '../task-schemas'
import { eventFilter } from './events'
import { acknowledged, ofAddress } from './messages'
import { recovered } from './subagents'

const registration = (f: Fields) => ({
  /** What kind of client, e.g. `terminal`, `vscode`, `web`. */
  client: f.optional(f.words(REGISTRY_LIMITS.name)),
  /** The machine's own name. */
  host: f.optional(f.words(REGISTRY_LIMITS.name)),
  /** Folder or name. */
  project: f.optional(f.words(REGISTRY_LIMITS.project)),
  title: f.optional(f.words(REGISTRY_LIMITS.title)),
  owner: f.optional(f.words(REGISTRY_LIMITS.name)),
  capabilities: f.optional(f.listOf(f.words(TASK_LIMITS.tag), TASK_LIMITS.capabilities)),
  /** The client's own. */
  metadata: f.optional(f.record(f.string(), f.unknown())),
})

/** How a client is known again. */
const attachment = (f: Fields) => ({ client: f.words(REGISTRY_LIMITS.name), host: f.words(REGISTRY_LIMITS.name) })

/** Which sessions a list shows; `null` = those without. Spans are `1..5`, `..1` or `5..`, the last number left out. */
const sessionFilter = (f: Fields) => ({
  /** Folder, name or key: with all its work trees and clones. */
  project: f.optional(f.nullable(f.text(4_096))),
  agent: f.optional(f.agentCli()),
  model: f.optional(f.nullable(f.text(250))),
  branch: f.optional(f.nullable(f.text(250))),
  host: f.optional(f.text(250)),
  /** The person or program that asked for the newest task of this conversation. */
  person: f.optional(f.text(250)),
  /** Failed tool calls. */
  errors: f.optional(f.span()),
  /** US dollars. */
  cost: f.optional(f.span()),
  /** Seconds from the first line to the last. */
  length: f.optional(f.span()),
  /** Last heard of at this time or later. */
  since: f.optional(f.time()),
  /** Working directory equal to or below this. */
  under: f.optional(f.text(4_096)),
  /** Words that title or id hold, without regard to case. */
  text: f.optional(f.text(200)),
  forkedFrom: f.optional(f.id()),
})

/** Turns of a document: each a number, a time, or the ID of an event in the turn. */
export const documentRange = (f: Fields) => ({
  /** The first turn. Default: the conversation's. */
  from: f.optional(f.text(100)),
  /** The last turn. Default: the conversation's. */
  until: f.optional(f.text(100)),
})

/** With its secrets. Only for operators, and a line in the audit log. */
const revealing = (f: Fields) => f.strictObject({ reveal: f.optional(f.boolean()) })

export const sessions = noun('sessions', {
  list: {
    method: 'GET',
    path: '/api/sessions',
    access: LEADS,
    summary: 'List sessions, newest activity first or in another order',
    query: (f) =>
      f.strictObject({
        ...sessionFilter(f),
        status: f.optional(f.array(f.enum(SHOWN_SESSION_STATUSES))),
        /** Default: `active`. */
        sort: f.optional(f.enum(SESSION_SORTS)),
        /** Smallest or oldest first. */
        ascending: f.optional(f.boolean()),
        ...f.paging(),
      }),
    answer: json((schemas) => schemas.SessionPage),
  },
  facets: {
    method: 'GET',
    path: '/api/session-facets',
    access: LEADS,
    summary: 'Count sessions by agent CLI, project, model, branch, host, person, errors, cost and length',
    query: (f) => f.strictObject(sessionFilter(f)),
    answer: json((schemas) => schemas.SessionFacets),
  },
  outcome: {
    method: 'GET',
    path: '/api/sessions/:id/outcome',
    access: READ_SESSION,
    summary: 'Get the files that a session changed, and its commits and pull requests',
    answer: json((schemas) => schemas.SessionOutcome),
  },
  step: {
    method: 'GET',
    path: '/api/sessions/:id/step',
    access: LEADS,
    summary: 'Find the next or previous failed call, or call that wrote files',
    query: (f) =>
      f.strictObject({
        to: f.enum(STEP_KINDS),
        /** Default: from the beginning; backwards from the end. */
        from: f.optional(f.uuid()),
        back: f.optional(f.boolean()),
        /** Among this sub-agent's lines instead of the main thread's. */
        subagentId: f.optional(f.id()),
      }),
    answer: json((schemas) => schemas.SessionStep),
  },
  changes: {
    method: 'GET',
    path: '/api/sessions/:id/changes',
    access: LEADS,
    summary: 'List what the tool calls of a session changed in files, oldest first, as patches',
    query: (f) =>
      f.strictObject({
        limit: f.optional(f.limit(MAX_CHANGES)),
        cursor: f.optional(f.cursor()),
        /** Only of this file, as the outcome names it. */
        path: f.optional(f.text(4_096)),
      }),
    answer: json((schemas) => schemas.SessionChanges),
  },
  place: {
    method: 'GET',
    path: '/api/sessions/:id',
    access: READ_SESSION,
    summary: 'Get a session with its sub-agents, background work and to-dos',
    query: (f) =>
      f.strictObject({
        /** So many sub-agents and pieces of background work: those at work, then the newest. Default: all. */
        agentLimit: f.optional(f.limit(MAX_LISTED_AGENTS)),
        /** The whole ID of a sub-agent that is listed in any case, with those that led to it. One that is not recorded is no error. */
        withSubagent: f.optional(f.text(200)),
      }),
    answer: json((schemas) => schemas.SessionDetail),
  },
  forget: {
    method: 'DELETE',
    path: '/api/sessions/:id',
    access: OPERATOR,
    summary: 'Remove a session and its journals for good',
    /** Nothing comes back from it: the handler wants the whole id. */
    ids: 'as given',
    answer: json((schemas) => schemas.Forgotten),
  },
  tree: {
    method: 'GET',
    path: '/api/sessions/:id/tree',
    access: LEADS,
    summary: 'Get a session as a tree of agents with their current activity',
    answer: json((schemas) => schemas.SessionTree),
  },
  events: {
    method: 'GET',
    path: '/api/sessions/:id/events',
    access: LEADS,
    summary: "List a session's events in chronological order",
    query: (f) => f.strictObject({ ...eventFilter(f), ...f.paging() }),
    answer: json((schemas) => schemas.EventPage),
  },
  event: {
    method: 'GET',
    path: '/api/sessions/:id/events/:eventId',
    access: LEADS,
    summary: 'Get one event with its original journal line',
    params: (f) => f.strictObject({ id: f.id(), eventId: f.ofUuid() }),
    query: revealing,
    answer: json((schemas) => schemas.EventDetail),
  },
  journals: {
    method: 'GET',
    path: '/api/sessions/:id/journals',
    access: READ_SESSION,
    summary: "List a session's files with their incarnations",
    answer: json((schemas) => schemas.JournalList),
  },
  export: {
    method: 'GET',
    path: '/api/sessions/:id/export',
    access: READ_SESSION,
    summary: "Export a session's transcript and sub-agent files, byte for byte, as a tar archive",
    query: (f) =>
      f.strictObject({
        incarnation: f.optional(f.limit(1_000_000)),
        partial: f.optional(f.boolean()),
        /** Secrets are overwritten, as they always are for viewers and leads. */
        masked: f.optional(f.boolean()),
      }),
    answer: 'tar',
  },
  document: {
    method: 'GET',
    path: '/api/sessions/:id/document',
    access: LEADS,
    summary:
      'Get a session, a range of its turns, or two sessions compared as one file of HTML or Markdown without secrets',
    query: (f) =>
      f.strictObject({
        format: f.enum(DOCUMENT_FORMATS),
        ...documentRange(f),
        /** Another session, whole: the file has both side by side, without what they share. */
        besideId: f.optional(f.id()),
      }),
    answer: json((schemas) => schemas.SessionDocument),
  },
  conversation: {
    method: 'GET',
    path: '/api/sessions/:id/conversation',
    access: LEADS,
    summary: 'Get a conversation turn by turn, with sub-agents at the calls that launched them',
    query: (f) =>
      f.strictObject({
        /** Turns. A long one may go on on the next page all the same. */
        limit: f.optional(f.limit(MAX_TURNS)),
        cursor: f.optional(f.cursor()),
        /** `start` (default), `end`, a turn's number, a time, or an event's id: the turn that it stands in. */
        from: f.optional(f.text(100)),
        /** This sub-agent's own conversation. */
        subagentId: f.optional(f.id()),
        /** Levels of sub-agents whose turns are folded in. Default 0. */
        depth: f.optional(f.whole(0, MAX_DEPTH)),
        /** Lines of all agents by time, instead of sub-agents at their calls. */
        flat: f.optional(f.boolean()),
        /** Whole texts, from the journals. */
        full: f.optional(f.boolean()),
      }),
    answer: json((schemas) => schemas.Conversation),
  },
  timeline: {
    method: 'GET',
    path: '/api/sessions/:id/timeline',
    access: LEADS,
    summary: 'Get when each agent of a session worked, waited and was idle',
    query: (f) =>
      f.strictObject({
        /** Lanes beside the main thread's. */
        limit: f.optional(f.limit(MAX_LANES)),
      }),
    answer: json((schemas) => schemas.SessionTimeline),
  },
  diff: {
    method: 'GET',
    path: '/api/sessions/:id/diff/:other',
    access: LEADS,
    summary: 'Compare two sessions: the shared part, and the continuation of each',
    params: (f) => f.strictObject({ id: f.id(), other: f.id() }),
    query: (f) =>
      f.strictObject({
        /** Turns of each side. */
        limit: f.optional(f.limit(MAX_TURNS)),
      }),
    answer: json((schemas) => schemas.SessionDiff),
  },
  recover: {
    method: 'GET',
    path: '/api/sessions/:id/recover',
    access: OWN_SESSION,
    summary: "List a session's background work with its state, and the last output of what is running",
    query: (f) => f.strictObject(recovered(f)),
    answer: json((schemas) => schemas.SessionRecovery),
  },
  launchCheck: {
    method: 'POST',
    path: '/api/sessions/:id/launch-check',
    access: OWN_SESSION,
    summary: 'Check whether a sub-agent launch repeats a running or unread one',
    body: (f) =>
      f.strictObject({
        /** Conversations that it goes on from, where only the caller knows. */
        origins: f.array(f.id()).check(f.maxLength(5)),
        type: f.text(1_000),
        prompt: f.string(),
        /** When the CLI's process began, in milliseconds since the epoch. */
        processStartedAt: f.nullable(f.number()),
      }),
    ids: 'as given',
    answer: json((schemas) => schemas.LaunchCheck),
  },
  messages: {
    method: 'GET',
    path: '/api/sessions/:id/messages',
    access: READ_ADDRESS,
    summary: "List a session's messages after a position, or stream them as server-sent events",
    query: ofAddress,
    answer: lines((schemas) => schemas.MessagePage),
  },
  acknowledge: {
    method: 'POST',
    path: '/api/sessions/:id/messages/ack',
    access: READ_ADDRESS,
    summary: 'Acknowledge messages of a session',
    body: acknowledged,
    answer: json((schemas) => schemas.Messages),
  },
  register: {
    method: 'POST',
    path: '/api/sessions',
    access: OPERATOR,
    isCreate: true,
    summary: "Register a client's conversation; a conversation without an ID is assigned an address",
    body: (f) =>
      f.strictObject({
        /** The client's own id of its conversation; left out: it is given an address. */
        id: f.optional(f.id()),
        ...registration(f),
      }),
    answer: json((schemas) => schemas.Registered),
  },
  put: {
    method: 'PUT',
    path: '/api/sessions/:id',
    access: OPERATOR,
    summary: 'Create or change the registration of a conversation; omitted fields stay unchanged',
    body: (f) =>
      f.strictObject({
        ...registration(f),
        /** The client goes on with the conversation under this new id: it is an alias from now on. */
        resumedAs: f.optional(f.id()),
      }),
    ids: 'as given',
    answer: json((schemas) => schemas.Registered),
  },
  attach: {
    method: 'POST',
    path: '/api/sessions/:id/attach',
    access: OPERATOR,
    summary: 'Attach or reattach a client; returns the other clients and the missed messages',
    body: (f) =>
      f.strictObject({
        ...attachment(f),
        /** Everything after this position was missed; left out: what nobody acknowledged or read. */
        after: f.optional(f.seq()),
      }),
    answer: json((schemas) => schemas.Attached),
  },
  detach: {
    method: 'POST',
    path: '/api/sessions/:id/detach',
    access: OPERATOR,
    summary: 'Detach a client; messages wait for the next one',
    body: (f) =>
      f.strictObject({
        attachmentId: f.optional(f.text(20)),
        client: f.optional(f.words()),
        host: f.optional(f.words()),
      }),
    answer: json((schemas) => schemas.Detached),
  },
  tasks: {
    method: 'GET',
    path: '/api/sessions/:id/tasks',
    access: LEADS,
    summary: 'List all tasks requested by a conversation, newest first',
    query: (f) => f.strictObject({ ...f.taskTexts(), ...f.paging() }),
    answer: json((schemas) => schemas.SessionTasks),
  },
  activeTask: {
    method: 'GET',
    path: '/api/sessions/:id/active-task',
    access: LEADS,
    summary: 'Get the task to continue: the newest unfinished one, running before waiting',
    answer: json((schemas) => schemas.ActiveTask),
  },
  replay: {
    method: 'GET',
    path: '/api/sessions/:id/replay',
    access: LEADS,
    summary:
      'Get how many tokens a resume or a fork of a conversation reads again, and what that costs without a cache',
    answer: json((schemas) => schemas.SessionReplay),
  },
  resume: {
    method: 'POST',
    path: '/api/sessions/:id/resume',
    access: OPERATOR,
    isCreate: true,
    summary: 'Get the command to continue a conversation, or create a task that continues it',
    body: (f) =>
      f.strictObject({
        /** A task resumes it; else the answer is how a person does. */
        asTask: f.optional(f.boolean()),
        /** Exactly this id, where an address has several, and not the one in which the conversation goes on. */
        exact: f.optional(f.boolean()),
        /** For a task: it goes on in a copy, cut at the last finished turn up to this event, or before this compaction. */
        forkAt: f.optional(f.ofUuid()),
        /** For a task: what is said to the agent. */
        text: f.optional(f.words(TASK_LIMITS.text)),
        /** `dir`: the folder, where it is not the one that it was. `title`, `agentId` and `agentClis` are for a task. */
        ...taskFields(f, ['dir', 'model', 'title', 'agentId', 'agentClis']),
      }),
    answer: json((schemas) => schemas.ResumedSession),
  },
  rows: {
    method: 'GET',
    path: '/api/sessions/:id/rows',
    access: LEADS,
    summary: "Get one agent's transcript lines in a session by number, from any position",
    query: (f) =>
      f.strictObject({
        /** Number of the first row wanted, 0 = the oldest. Default: so that the last row is in. */
        from: f.optional(f.whole(0, 1_000_000_000)),
        /** Instead: so that this event stands in the middle. */
        around: f.optional(f.ofUuid()),
        /** Instead: the last rows up to this time, and `total` up to it. */
        until: f.optional(f.time()),
        limit: f.optional(f.limit(MAX_ROWS)),
        /** This sub-agent's lines instead of the main thread's. */
        subagentId: f.optional(f.id()),
      }),
    answer: json((schemas) => schemas.SessionRows),
  },
  minimap: {
    method: 'GET',
    path: '/api/sessions/:id/minimap',
    access: LEADS,
    summary: "Get where an agent's transcript lines have prompts, errors, edits, sub-agents and compactions",
    query: (f) =>
      f.strictObject({
        /** Also the number of each line of this kind. */
        only: f.optional(f.enum(MAP_KINDS)),
        /** This sub-agent's lines instead of the main thread's. */
        subagentId: f.optional(f.id()),
      }),
    answer: json((schemas) => schemas.SessionMinimap),
  },
  live: {
    method: 'GET',
    path: '/api/sessions/:id/live',
    access: LEADS,
    summary: 'Get what a running session is writing and what its shells give out, before its transcript has it',
    answer: json((schemas) => schemas.SessionLive),
  },
  content: {
    method: 'GET',
    path: '/api/sessions/:id/events/:eventId/content',
    access: LEADS,
    summary: 'Get the complete content of a line: texts, calls, results, patches and images',
    params: (f) => f.strictObject({ id: f.id(), eventId: f.ofUuid() }),
    query: revealing,
    answer: json((schemas) => schemas.EventContent),
  },
})

export const conversations = noun('conversations', {
  snapshot: {
    method: 'GET',
    path: '/api/sessions/:id/snapshot',
    access: COPY_SESSION,
    summary: "Get a session's transcript up to its last finished turn, to fork it",
    query: (f) =>
      f.strictObject({
        /** The last finished turn up to this event; of a compaction, up to the line before it. */
        at: f.optional(f.ofUuid()),
      }),
    answer: 'bytes',
  },
})
