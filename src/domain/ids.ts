/**
 * Branded identifiers. A bare `string` or `number` id is never passed between functions.
 *
 * Public ids (what a person pastes) are the agent CLI's own: session ids, sub-agent ids, event uuids, tool-use ids.
 * Keys are the database's small integers; they never leave the process.
 */
declare const brand: unique symbol
type Brand<T, Name extends string> = T & { readonly [brand]: Name }

/** The id by which a session was first known; the CLI's own session id (a uuid for Claude Code). */
export type SessionId = Brand<string, 'SessionId'>
/** The agent CLI's id of a sub-agent, unique within its session only. */
export type SubagentId = Brand<string, 'SubagentId'>
/** The uuid that the CLI gave a transcript line, in canonical lower-case form. */
export type EventId = Brand<string, 'EventId'>
/** The id of a tool call, as the model's API gave it (`toolu_…`). Unique within a session. */
export type ToolUseId = Brand<string, 'ToolUseId'>
/** A to-do's id: `cct-…`, or `<list>/<native id>` where the agent's tool numbers its items. */
export type TodoId = Brand<string, 'TodoId'>

/** A unit of agent work: `t-` and 8 or more of `0-9a-z`. */
export type TaskId = Brand<string, 'TaskId'>
/** One execution of a task: `<task>.<number>`, e.g. `t-7f3k9q2m.2`. */
export type AttemptId = Brand<string, 'AttemptId'>
/** A registered lead or worker: `a-` and 8 or more of `0-9a-z`. */
export type AgentId = Brand<string, 'AgentId'>
/** Something that a run asked a person or a lead: `q-` and 8 or more of `0-9a-z`. */
export type QuestionId = Brand<string, 'QuestionId'>
/** A work item of the tracker, e.g. `ld-3k9q`. An epic is one of type `epic`. */
export type IssueId = Brand<string, 'IssueId'>

/** Where messages go: a session's, task's or agent's id. */
export type Address = Brand<string, 'Address'>
/** A uuid: that of the line on the receiver's input, and the marker in any other text that carries the message. */
export type MessageId = Brand<string, 'MessageId'>
/** Several tasks made together: `p-` and 8 or more of `0-9a-z`. */
export type PlanId = Brand<string, 'PlanId'>
/** A request from outside: `i-` and 8 or more of `0-9a-z`. */
export type InboxId = Brand<string, 'InboxId'>
/** A token that an operator gave out: `k-` and 8 or more of `0-9a-z`. */
export type TokenId = Brand<string, 'TokenId'>

export type SessionKey = Brand<number, 'SessionKey'>
export type SubagentKey = Brand<number, 'SubagentKey'>
export type EventKey = Brand<number, 'EventKey'>
export type JournalKey = Brand<number, 'JournalKey'>
export type IncarnationKey = Brand<number, 'IncarnationKey'>
export type ProjectKey = Brand<number, 'ProjectKey'>
export type HostKey = Brand<number, 'HostKey'>
export type TaskKey = Brand<number, 'TaskKey'>
export type AttemptKey = Brand<number, 'AttemptKey'>
export type AgentKey = Brand<number, 'AgentKey'>
export type UserKey = Brand<number, 'UserKey'>
export type TokenKey = Brand<number, 'TokenKey'>
/** One tracker: the issues of one file, or those that belong to no folder. */
export type TrackerKey = Brand<number, 'TrackerKey'>
export type IssueKey = Brand<number, 'IssueKey'>
/** Position in the feed: dense, growing, never reused. */
export type FeedSeq = Brand<number, 'FeedSeq'>

/**
 * Which agent CLI a fact came from, by the name of its harness (`src/harness/registry.ts`). A record may name one that this program has no
 * harness for.
 */
export type AgentName = string
export const AGENT_NAME = /^[a-z][a-z0-9-]{0,39}$/

/** A whole id of a session, an event or a message, in any case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Such an id or the beginning of one, long enough that it names few. */
export const UUID_BEGINNING = /^[0-9a-f-]{4,36}$/i

export const sessionId = (text: string): SessionId => text as SessionId
export const subagentId = (text: string): SubagentId => text as SubagentId
export const eventId = (text: string): EventId => text as EventId
export const toolUseId = (text: string): ToolUseId => text as ToolUseId
export const todoId = (text: string): TodoId => text as TodoId
export const taskId = (text: string): TaskId => text as TaskId
export const attemptId = (text: string): AttemptId => text as AttemptId
export const agentId = (text: string): AgentId => text as AgentId
export const questionId = (text: string): QuestionId => text as QuestionId
export const issueId = (text: string): IssueId => text as IssueId
export const address = (text: string): Address => text as Address
export const messageId = (text: string): MessageId => text as MessageId
export const planId = (text: string): PlanId => text as PlanId
export const inboxId = (text: string): InboxId => text as InboxId
export const tokenId = (text: string): TokenId => text as TokenId
export const sessionKey = (n: number): SessionKey => n as SessionKey
export const subagentKey = (n: number): SubagentKey => n as SubagentKey
export const eventKey = (n: number): EventKey => n as EventKey
export const journalKey = (n: number): JournalKey => n as JournalKey
export const incarnationKey = (n: number): IncarnationKey => n as IncarnationKey
export const projectKey = (n: number): ProjectKey => n as ProjectKey
export const hostKey = (n: number): HostKey => n as HostKey
export const taskKey = (n: number): TaskKey => n as TaskKey
export const attemptKey = (n: number): AttemptKey => n as AttemptKey
export const agentKey = (n: number): AgentKey => n as AgentKey
export const trackerKey = (n: number): TrackerKey => n as TrackerKey
export const issueKey = (n: number): IssueKey => n as IssueKey
export const feedSeq = (n: number): FeedSeq => n as FeedSeq

/** The task of an attempt, which its id begins with. */
export const taskOf = (id: AttemptId | string): TaskId => taskId(id.slice(0, Math.max(0, id.lastIndexOf('.'))))
