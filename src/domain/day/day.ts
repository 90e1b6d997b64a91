/** A whole day of all sessions, and how they were at a moment of it. */

import type { AgentName, SessionId, SubagentId, TodoId } from '../ids'
import type { EventType } from '../record/observation'
import type { SessionStatus, Subagent } from '../session/session'
import { HOUR_MS } from '../time-units'
import type { Todo } from '../todo/todo-item'

/** Parts of equal length that a day is split into: of a minute each, where a day has 24 hours. */
export const DAY_PARTS = 1_440
/** The longest time that counts as a day: zones put their clocks forward and back, and by a day where they cross the date line. */
export const MOST_DAY_MS = 50 * HOUR_MS
/** Sessions that a day shows: the most recently active ones. */
export const MOST_DAY_SESSIONS = 2_000
/** Stretches of work of all sessions together. */
export const MOST_ACTIVE_SPANS = 5_000
/** A shorter pause does not end a stretch of work. Milliseconds. */
export const LEAST_PAUSE_MS = 5_000
/** One session at a moment. */
export const MOST_DAY_AGENTS = 20
export const MOST_DAY_TODOS = 20
export const MOST_DAY_FILES = 20

/** Which sessions a day has. Times in milliseconds. */
export interface DayScope {
  from: number
  /** Not included. */
  to: number
  /** A project's folder, name or key in the tree; `null` = sessions of none. */
  project?: string | null | undefined
  agent?: AgentName | undefined
}

/** A stretch of time. ISO 8601. */
export interface DaySpan {
  from: string
  to: string
}

/** Parts of a day in a row, counted from 0; both are in it. */
export interface DayParts {
  first: number
  last: number
}

/** When one session was at work. */
export interface DayLane {
  id: SessionId
  agent: AgentName
  title: string | null
  project: string | null
  /** When its turns, and its sub-agents, were at work. */
  busy: DayParts[]
  /** When runs of tasks had the session. */
  runs: DayParts[]
  /** Parts in which a person, or a program, said something to it. */
  prompts: number[]
  /** Parts in which calls failed, or the model did. */
  errors: number[]
}

/** What of a day can be seen at once. Times are ISO 8601. */
export interface Day {
  from: string
  to: string
  partMs: number
  /** Counts all sessions of the day; lanes are cut at the limit. */
  total: number
  /** In the order in which they began. */
  lanes: DayLane[]
  /** When any session was at work, in order; what is between them was idle. */
  active: DaySpan[]
  /** There is more than was looked at. */
  isCut: boolean
}

/** What an agent did last: its newest call, or its newest words. */
export interface DayDeed {
  at: string
  type: EventType
  tool: string | null
  /** At most some hundred characters. */
  text: string | null
  /** The call was not answered yet. */
  isOpen: boolean
}

/** A sub-agent as it was at a moment. */
export interface DayAgent
  extends Pick<
    Subagent,
    'id' | 'kind' | 'type' | 'description' | 'parentId' | 'depth' | 'status' | 'startedAt' | 'endedAt'
  > {
  id: SubagentId
  doing: DayDeed | null
}

export interface DayTodo {
  id: TodoId
  content: string
  status: Todo['status']
  subagentId: SubagentId | null
}

/** Some of many. */
export interface Shown<Item> {
  total: number
  shown: Item[]
}

/** A session as it was at a moment. */
export interface DaySession {
  id: SessionId
  agent: AgentName
  /** As it is now. */
  title: string | null
  project: string | null
  gitBranch: string | null
  status: SessionStatus
  startedAt: string | null
  /** When it was last heard of by then. */
  heardAt: string | null
  lastWords: string | null
  doing: DayDeed | null
  /** Those at work first. */
  agents: Shown<DayAgent> & { running: number }
  /** Those that are open first. */
  todos: Shown<DayTodo> & { completed: number }
  /** Paths that its calls had changed, the newest first. */
  files: Shown<string>
}

/** The sessions of a day as they were at a moment: those at work first. */
export interface DayMoment {
  at: string
  /** Sessions of the day that had been heard of by then. */
  total: number
  /** How many of them are at work. */
  working: number
  sessions: DaySession[]
}

/** Reads a day along indexes of times: turns, failed calls and runs, and of a moment some lines of each session that is shown. */
export interface DayReads {
  lanes(scope: DayScope): Promise<Day>
  /** @param asking  tools by which agents ask a person */
  moment(scope: DayScope, request: { at: number; limit: number; asking: readonly string[] }): Promise<DayMoment>
}
