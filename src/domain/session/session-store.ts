import type { AgentName, AttemptId, EventId, SessionId, SessionKey, SubagentId, TaskId } from '../ids'
import type { Page, PageRequest } from '../port'
import type { TodoFoldOptions } from '../todo/todo-step'
import type { EditCall, SessionOutcome, StepRequest } from './outcome'
import type { Session, Subagent, TreeNode } from './session'
import type { FacetFilter, SessionFacets, SessionOrder } from './session-list'
import type { ShellProcess } from './shell'
/** A session as stored, before its status is derived (`domain/session/session-status.ts`). */
export interface StoredSession extends Omit<Session, 'status' | 'statusEvidence'> {
  key: SessionKey
  /** The machine that recorded it first, by its random name; `host` is what people call it. */
  hostName: string | null
  /** The machine on which the CLI's process was seen, which alone can judge it; `null` = no process was. */
  processHost: string | null
  signals: SessionSignals
}

/** What is known of whether a session is alive; times in milliseconds. */
export interface SessionSignals {
  activity: 'working' | 'idle' | 'waiting' | 'ended' | null
  activityAt: number | null
  activityEvidence: string | null
  endedAt: number | null
  endReason: string | null
  processId: number | null
  processState: 'alive' | 'gone' | null
  processAt: number | null
  fileGrewAt: number | null
  lastEventAt: number | null
}

export interface SessionFilter extends FacetFilter {
  /** Heard of at this time or later, in milliseconds. */
  since?: number
  /** Sessions forked or resumed from this one. */
  forkedFrom?: SessionId
  /** Working directory equal to or below this. */
  under?: string
  /** Words that title or id hold, without regard to case. */
  text?: string
}

export interface SessionReads {
  /** Newest `lastEventAt` first, unless `order` says something else. Few queries for a page of any size, usage included. */
  list(filter: SessionFilter, page: PageRequest, order?: SessionOrder): Promise<Page<StoredSession>>
  facets(filter: SessionFilter): Promise<SessionFacets>
  outcome(id: SessionId): Promise<SessionOutcome | undefined>
  /** The next line of a kind; `null` = there is none. */
  step(id: SessionId, request: StepRequest): Promise<EventId | null>
  /** Calls of all its agents that wrote files, or this file, oldest first. */
  edits(id: SessionId, page: PageRequest, path?: string | null): Promise<Page<EditCall>>
  find(id: SessionId): Promise<StoredSession | undefined>
  /** Sessions whose run waits for a person's answer to a call, with the question's id. Few, however many sessions there are. */
  asking(): Promise<ReadonlyMap<SessionId, string>>
  /** Ids that begin with `prefix` (at least 4 characters), at most 20. */
  matchPrefix(prefix: string): Promise<SessionId[]>
  count(): Promise<number>
  /** How many there are of each agent CLI. */
  countByAgent(): Promise<Record<AgentName, number>>
  /** Those whose process was alive on this machine when it was last looked at. */
  aliveOn(hostName: string): Promise<{ sessionId: SessionId; pid: number; started: string | null }[]>
  isTombstoned(kind: 'session' | 'path', value: string): Promise<boolean>
}

export interface SessionWrites {
  /**
   * Sets what a machine saw of the CLI's process. That a process is gone is not taken from a machine other than the one that
   * saw it alive.
   *
   * @param hostKey  of that machine
   * @returns whether it was taken
   */
  setProcess(
    key: SessionKey,
    hostKey: number,
    process: { id: number; started: string | null; state: 'alive' | 'gone'; at: number },
  ): Promise<boolean>
  /**
   * Notes that a run's result was read, as somebody says; it stays through a rebuild.
   *
   * @returns whether that is new; `null` = there is no such run
   */
  markRead(key: SessionKey, subagent: SubagentId, run: number, by: string): Promise<boolean | null>
  /** Sets what a look at a background shell's own process gave, or that a person stopped it; it stays through a rebuild. */
  setShell(key: SessionKey, shell: Omit<ShellProcess, 'sessionId'>): void | Promise<void>
  /**
   * Removes the session with its journals, events, text index, to-dos and usage, and tombstones its id and paths.
   * On SQLite its bytes are gone from the database files after `KeptStore.maintain('scrub')`; PostgreSQL overwrites them in its own time.
   *
   * @param todos  how lists that others share with it are folded again
   */
  forget(key: SessionKey, todos?: TodoFoldOptions): Promise<ForgottenWork>
}

/** What became of tasks whose runs were in a session that is forgotten. */
export interface ForgottenWork {
  /** Their texts are gone with what their runs said. */
  tasks: TaskId[]
  /** Their own texts stay, since they are open or another session had them too; what the session's runs said is gone. */
  keptTasks: TaskId[]
  /** Runs in the session of tasks that are over: what they left in files may go. */
  attempts: AttemptId[]
}

export interface SubagentReads {
  list(session: SessionId, options?: { kinds?: Subagent['kind'][] }): Promise<Subagent[]>
  /** By the CLI's id, over all sessions: ids are unique within a session only. */
  find(id: SubagentId): Promise<Subagent[]>
  /** The whole session in at most four queries, whatever the number of sub-agents. */
  tree(session: SessionId): Promise<TreeNode | undefined>
}
