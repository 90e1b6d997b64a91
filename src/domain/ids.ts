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

export type SessionKey = Brand<number, 'SessionKey'>
export type SubagentKey = Brand<number, 'SubagentKey'>
export type EventKey = Brand<number, 'EventKey'>
export type JournalKey = Brand<number, 'JournalKey'>
export type IncarnationKey = Brand<number, 'IncarnationKey'>
export type ProjectKey = Brand<number, 'ProjectKey'>
export type HostKey = Brand<number, 'HostKey'>
/** Position in the feed: dense, growing, never reused. */
export type FeedSeq = Brand<number, 'FeedSeq'>

/** Which agent CLI a fact came from. The harness folder of the same name reads it. */
export type AgentName = 'claude-code'

export const sessionId = (text: string): SessionId => text as SessionId
export const subagentId = (text: string): SubagentId => text as SubagentId
export const eventId = (text: string): EventId => text as EventId
export const toolUseId = (text: string): ToolUseId => text as ToolUseId
export const todoId = (text: string): TodoId => text as TodoId
export const sessionKey = (n: number): SessionKey => n as SessionKey
export const subagentKey = (n: number): SubagentKey => n as SubagentKey
export const eventKey = (n: number): EventKey => n as EventKey
export const journalKey = (n: number): JournalKey => n as JournalKey
export const incarnationKey = (n: number): IncarnationKey => n as IncarnationKey
export const projectKey = (n: number): ProjectKey => n as ProjectKey
export const hostKey = (n: number): HostKey => n as HostKey
export const feedSeq = (n: number): FeedSeq => n as FeedSeq
