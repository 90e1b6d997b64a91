import type { AgentFile } from '../domain/agent'
import type { AuditActor } from '../domain/audit'
import type { UsageWindow } from '../domain/budget/usage-window'
import type { LineContent } from '../domain/conversation/line-content'
import type { AgentCliFacts } from '../domain/harness/agent-cli'
import type { JournalKind } from '../domain/harness/harness'
import type { Address, AgentName, AttemptId, EventId, SessionId } from '../domain/ids'
import type { Message } from '../domain/message/message'
import type { HookAsking } from '../domain/message/message-offer'
import type { HandoffBox, NotifiedChanges } from '../domain/recall/recall'
import type { FileOutcome } from '../domain/record/recorder'
import type { LivePiece } from '../domain/session/live'
import type { IssueLinkSource } from '../domain/session/session-issue'
import type { ForgottenWork } from '../domain/session/session-store'
import type { Attempt, Task } from '../domain/task/task'
import type { TaskWork } from '../domain/task/task-work'
import type { Caller } from '../domain/task/worker-protocol'
import type { AuditService } from './audit/audit-service'
import type { BudgetService } from './budgets/budget-service'
import type { InboxService } from './inbox/inbox-service'
import type { IssueService } from './issues/issue-service'
import type { MessageService } from './messages/message-service'
import type { NotifyService } from './notify/notify-service'
import type { NeedService } from './overview/need-service'
import type { BackgroundService } from './recovery/background-service'
import type { RegistryService } from './registry/registry-service'
import type { ErasedSecret } from './secrets/erase'
import type { SecretScan } from './secrets/scan'
import type { TaskService } from './tasks/task-service'
import type { TodoService } from './todos/todo-service'
import type { TokenService } from './tokens/token-service'
import type { UserService } from './users/user-service'
import type { ViewService } from './views/view-service'

/** Reads lines of conversations, which only the harness of their agent CLI can. */
export interface AgentLines {
  /** Agent CLIs that this program knows. */
  clis(): readonly AgentCliFacts[]
  /** What a person reads of a transcript's line, uncut. `null` = nothing. Never throws. */
  textOf(agent: AgentName, line: Uint8Array): Promise<string | null>
  /** What the line holds, for a person to look at; bytes beyond `PARSED_LINE_BYTES + 1` are not looked at. Never throws. */
  contentOf(agent: AgentName, line: Uint8Array): Promise<LineContent>
  /** What the end of a run's output says that no line of the conversation holds yet; whole lines. Never throws. */
  liveOf(agent: AgentName, output: Uint8Array, session: SessionId): Promise<LivePiece[]>
  /** Tools by which the agent, or any (`null`), asks a person: its session waits until they are answered. */
  askingTools(agent: AgentName | null): Promise<ReadonlySet<string>>
}

/** Branches of tasks in worktrees on this machine. @throws `not_found` it is elsewhere, or gone · `invalid` the task has none */
export interface TaskBranches {
  look(task: Task, attempts: readonly Attempt[]): Promise<TaskWork>
  /** @param isCommitted  commit first what is in no commit. @returns the commit that the other branch is at now. @throws `conflict` */
  merge(task: Task, attempts: readonly Attempt[], isCommitted: boolean): Promise<string>
  /** Removes worktree and branch, with whatever is in them. */
  drop(task: Task, attempts: readonly Attempt[]): Promise<void>
}

/**
 * What the API asks of the running product beside reading the store. The composition root implements it over the recorder, the
 * collector and the database; the handlers know nothing of those.
 */
export interface Services {
  readonly tasks: TaskService
  readonly issues: IssueService
  readonly todos: TodoService
  readonly messages: MessageService
  readonly registry: RegistryService
  /**
   * Gives a hook of this machine what it may say of what waits at its session's address.
   *
   * @param signal  aborted when the hook is gone
   * @returns also how many wait beside them
   */
  offerMail(
    caller: Caller,
    at: Address,
    asking: HookAsking,
    signal: AbortSignal,
  ): Promise<{ messages: Message[]; count: number }>
  /** Why a message waits at a conversation and what to do, in a sentence each; `null` = it does not, or nobody here knows. */
  whyWaiting(message: Message): Promise<string | null>
  readonly inbox: InboxService
  readonly needs: NeedService
  readonly views: ViewService
  readonly branches: TaskBranches
  readonly notify: NotifyService
  readonly budgets: BudgetService
  readonly tokens: TokenService
  readonly users: UserService
  /** Replaces the installation's own token, and ends all that hangs on the old one. @returns its file */
  rotateToken(): Promise<string>
  readonly audit: AuditService
  readonly handoffs: HandoffBox
  readonly agentLines: AgentLines
  /** Silence in the middle of a turn after which a session counts as stuck, in milliseconds. */
  /** What is used of subscriptions' windows on the server's machine. */
  usageWindows(): Promise<UsageWindow[]>
  readonly stuckAfterMs: number
  /** Days after its last event at which a session is forgotten; `null` = never. */
  readonly retentionDays: number | null
  /** Agents that files of this project describe, with the folder that each is of; empty for a folder of another machine. */
  agentFiles(folder: string): Promise<{ root: string; agent: AgentFile }[]>
  /** Adds a rule to `worker.allow` of this machine. @returns the settings file. @throws `invalid` that file is wrong */
  addAllowRule(rule: string): Promise<{ file: string }>
  /** This machine's. */
  hostname(): string
  /** Files and processes of background work on this machine. */
  readonly background: BackgroundService
  /** What recalls need beside the record: what was reported, and the settings about to-dos. */
  readonly recalls: { notified: NotifiedChanges; linkFrom: readonly IssueLinkSource[]; hidesTodos: boolean }
  /**
   * Keeps bytes of a run's output durably and records them. Bytes that it has already are passed over.
   *
   * @param session  the attempt's conversation; what names another is kept and says nothing. `null` = not known yet: kept, recorded later
   * @param agentCli  the agent CLI that runs the attempt; `null` = not known: the conversation's, or that of the first lines
   * @returns where the next ones belong
   * @throws `conflict` with `details.offset` when `offset` is beyond what it has
   */
  appendStream(
    attempt: AttemptId,
    offset: number,
    bytes: Uint8Array,
    session: SessionId | null,
    agentCli?: AgentName | null,
  ): Promise<{ offset: number }>
  /**
   * Records bytes of a file on another host.
   *
   * @param isOwnOnly  refuse what is of a session that this host may not have; default false
   * @throws `conflict` with `details.size` when `offset` or `before` is not what it has · `forbidden` with `details.isForeign`
   */
  appendRemote(
    host: { name: string; hostname: string },
    file: RemoteFile,
    bytes: Uint8Array,
    isOwnOnly?: boolean,
  ): Promise<RemoteOutcome>
  /** The agent's CLI with its arguments, by which a person on this machine goes on with the session. */
  /** @param other  the agent CLI in which it goes on; `null` = its own */
  openCommand(session: SessionId, model: string | null, other: AgentName | null): Promise<string[]>
  /** Looks which processes of this machine have ended since the last look, and tells the record. */
  noteGoneProcesses(): Promise<void>
  /**
   * The main transcript cut at its last finished turn, from the journals. `null` = not recorded, or no finished turn.
   *
   * @param at  no later than this event, and before it where it is a compaction. @throws `not_found` its line is in no transcript
   */
  snapshot(session: SessionId, at?: EventId | null): Promise<{ bytes: Uint8Array; lastUuid: string } | null>
  /** Folders that this host's own collector follows; empty where none runs. `hostName` is the installation's random id. */
  followedRoots(): { hostName: string; roots: string[] }
  /**
   * Records files and folders once. Idempotent. A file that can't be read is a problem in the totals, never an error.
   *
   * @param paths  absolute
   * @throws `not_found` when none of `paths` exists; the database's errors
   */
  importPaths(paths: string[], onProgress?: (progress: WorkProgress) => void): Promise<ImportOutcome>
  /** Derives every projection again from the journals. @throws `conflict` while another rebuild runs. */
  rebuild(onProgress?: (progress: WorkProgress) => void): Promise<RebuildOutcome>
  /** Looks for secrets in what was recorded before. @throws `conflict` where they are not looked for */
  scanSecrets(): Promise<SecretScan>
  /** Takes a secret out for good. @throws `not_found` */
  eraseSecret(id: string, by: AuditActor): Promise<ErasedSecret>
  /** Removes the session and its journals, tombstones its id and paths, scrubs the database files. @throws `not_found` */
  forget(id: SessionId, by: AuditActor): Promise<ForgottenBeside>
  /**
   * Keeps one hook payload of Claude Code in this host's hook journal, and records it before it answers.
   *
   * @param payload  a JSON object's bytes as they were sent, at most `hookBodyBytes`
   */
  recordHook(payload: Uint8Array): Promise<void>
  /**
   * Keeps a payload of a to-do tool as `recordHook` does, as a word of this session, and has the record take it in before it answers.
   * Payloads of other tools are not kept.
   *
   * @throws `too_large` more items than are kept: the first ones are (`details.syncedCount`, `details.leftOutCount`)
   */
  syncTodos(session: SessionId, payload: Readonly<Record<string, unknown>>): Promise<TodosSynced>
  /**
   * Takes in what the hook journal and the transcripts of the session (`null`: of all that changed) hold beyond the record. Called
   * before reads. A server with a collector has no need of it and leaves it out; in-process commands have nobody else to do it.
   */
  catchUp?(session: SessionId | null): Promise<void>
  /** The collector's own facts; `null` when none runs here. */
  collectorFacts(): CollectorState | null
  storageFacts(): Promise<StorageState>
}

/** What went with a session beside its record. */
export interface ForgottenBeside extends Omit<ForgottenWork, 'attempts'> {
  /** Hand-overs that it wrote. */
  handoffs: number
}

/** What became of a to-do tool's payload. */
export interface TodosSynced {
  sessionId: SessionId
  /** Items of the payload that are kept; 0 = it was none of a to-do tool. */
  syncedCount: number
  leftOutCount: number
  /** The session's to-dos are others than before. */
  changed: boolean
}

/** Totals grow while files are still being found. */
export interface WorkProgress {
  filesDone: number
  filesTotal: number
  bytesDone: number
  bytesTotal: number
}

export interface FileTrouble {
  path: string
  /** For a person, e.g. `permission denied`. */
  reason: string
}

/** Counts files and bytes looked at; `sessions` and `events` are what the record gained. */
export interface ImportOutcome {
  files: number
  bytes: number
  sessions: number
  events: number
  malformedLines: number
  durationMs: number
  problems: FileTrouble[]
}

/** Counts what the record holds after the rebuild. */
export type RebuildOutcome = Omit<ImportOutcome, 'problems'>

export interface CollectorState {
  isRunning: boolean
  /** Folders that it follows. */
  roots: string[]
  files: number
  /** Files known to hold bytes that are not recorded yet. */
  filesBehind: number
  /** Progress through what was found at the start; `null` = all of it is recorded. */
  backfill: WorkProgress | null
  /** ISO 8601. */
  lastScanAt: string | null
  problems: FileTrouble[]
}

export interface StorageState {
  kind: 'sqlite' | 'postgres'
  /** The database file, or host and name of the database; never a password. */
  location: string
  bytes: number | null
}

/** A file of an agent's CLI on another host. */
export interface RemoteFile {
  /** Absolute, there. */
  path: string
  kind: JournalKind
  sessionId: string | null
  subagentId: string | null
  /** Where the bytes begin; 0 restarts the file. */
  offset: number
  /** Fingerprint of what is before `offset`; see `collector/remote-recorder.ts`. */
  before: string | null
  isGone: boolean
  /** The sender saw that the file is no longer what was sent: fewer bytes than the record has are a cut, not a delay. */
  isAnew: boolean
}

export interface RemoteOutcome {
  /** Bytes that are held now. */
  size: number
  outcome: FileOutcome | null
}
