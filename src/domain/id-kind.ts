import type { SessionId } from './ids'

/** What an id may be of, where a person types the beginning of one. Issues have rules of their own: their ids have parts. */
export const ID_KINDS = [
  'session',
  'subagent',
  'event',
  'toolUse',
  'todo',
  'task',
  'question',
  'plan',
  'agent',
  'message',
  'inbox',
  'token',
] as const
export type IdKind = (typeof ID_KINDS)[number]

/** Whole ids from what a person typed of them. */
export interface IdReads {
  /**
   * The id itself where there is such a thing, else all that begin so, at most 20, in order. No character of `text` has a meaning of
   * its own. Sub-agents are of all sorts: agents, shells and monitors.
   *
   * @param within  only what this session has; needed for events, and looked at for sub-agents and tool calls alone
   */
  beginning(kind: IdKind, text: string, within: SessionId | null): Promise<string[]>
}
