import type { Usage } from '../cost/usage'
import type { AgentName, SessionId } from '../ids'
import type { LivePiece } from '../session/live'
import type { FailureClass } from '../task/task'
import type { RunSettings } from '../task/task-fields'
import type { ListedTool } from './listed-tool'

/**
 * How one agent CLI is run. Parts that decide are pure; those that look at a disk say so. Implemented in `harness/<agent>/run/`; used by
 * the worker and by `lode task open`.
 */
export interface HarnessRun {
  readonly agent: AgentName
  /** Driven releases, newest tried first; older ones than `minimum` are refused. */
  readonly minimum: string
  /** Runs `--version`. @throws `invalid` too old, or nothing there, with a hint */
  version(executable: string, env: Record<string, string>): Promise<string>
  /** Finds the CLI: the setting, else PATH. @throws `not_found` */
  findExecutable(env: Record<string, string>, configured: string | null): string

  /** argv (without the executable) of a run. No text of a task is ever among them. */
  runArguments(launch: RunLaunch): string[]
  /** argv for a person at a terminal. */
  openArguments(options: {
    resume: string | null
    fork: boolean
    sessionId: string | null
    model: string | null
  }): string[]
  /** Environment of a run: what is passed on of `base`, plus what makes the CLI say when it is idle. Never another agent's session. */
  runEnvironment(base: Record<string, string>, more: Record<string, string>): Record<string, string>
  /** Whether `name` may be passed on when a person lists it beside the names that always are. */
  mayPassOn(name: string): boolean
  /** Where the CLI reaches its model and its login by this environment: whole URLs. A sandboxed run reaches little else. */
  modelUrls(env: Readonly<Record<string, string>>): string[]
  /**
   * Files of the run's own: hooks, Lodeline's tools, extensions. They are written to the run's folder before its start. Empty = the CLI
   * takes these otherwise, or not at all.
   *
   * @throws `invalid` the person has no MCP server of a name
   */
  runFiles(options: RunFileOptions): readonly RunFile[]
  /**
   * What the hook that tells a run its start prints for this text: the worker writes it into the run's folder as `start-<moment>`, and the
   * hook's shell prints it. Absent = no hook of the CLI's tells a start.
   */
  readonly startAnswer?: (text: string) => string
  /**
   * What names a new conversation: `ours` = the id is among the arguments; `its` = the CLI reports it first, in its `init` event. A
   * conversation that goes on keeps its id in both cases.
   */
  readonly sessionIds: 'ours' | 'its'

  /**
   * The file in which the CLI keeps this conversation for this working directory, or would keep it; may look at the disk. `null` = it
   * keeps its conversations in no files of their own: what it does not have it says itself when it is run.
   */
  transcriptPath(place: CliPlace, sessionId: string): string | null
  /** Whether the CLI has this conversation, where no file tells; looks at the disk. Absent = it says itself what it does not have. */
  has?(place: CliPlace, sessionId: string): boolean
  /**
   * Whether a recorded transcript holds all that the CLI has of the conversation now, where no file's size tells; looks at the disk. Absent =
   * sizes tell.
   */
  isRecorded?(place: CliPlace, sessionId: string, transcript: Uint8Array): boolean
  /** Why no run of the CLI can have a sandbox. Absent = `state` says it for each run. */
  readonly noSandbox?: string
  /** Which files of its own the CLI needs in a sandbox, for this run, or why it can't run in one. Looks at the disk. */
  state(place: CliPlace, run: StateOptions): CliState | Unboxed
  /** The process that has the conversation open now, by the CLI's own registry; looks at the disk and at /proc. */
  openedBy(place: CliPlace, sessionId: string): { pid: number; kind: string } | null
  /**
   * Writes a conversation's files where the CLI looks for them: the main transcript and its sub-agents' files. Atomic; refuses to
   * overwrite a file that differs, unless it is a beginning of the new one. Or has the CLI take them, by its program. `null` = the CLI
   * takes back no conversation.
   */
  readonly restore:
    | ((place: CliPlace, sessionId: string, files: AsyncIterable<RestoredPiece>, program: CliProgram) => Promise<void>)
    | null
  /**
   * Cuts a transcript after its last finished turn, for a run that goes on in a copy. It gives `null` when no turn is finished. Pure.
   * `null` = the CLI goes on in no copy.
   *
   * @param mayBeWithin  where no turn is finished, cuts after the last call that has its answer, if the CLI goes on from there
   */
  readonly cutAtLastTurn:
    | ((transcript: Uint8Array, mayBeWithin?: boolean) => { bytes: Uint8Array; lastUuid: string } | null)
    | null

  /**
   * What the CLI reads: `lines` = one after another for as long as it runs; `prompt` = one text up to the end of its input, and nothing
   * after it: what is said later waits for the next run.
   */
  readonly input: 'lines' | 'prompt'
  /** Whether the CLI can ask us about tool calls, by `permission` events. */
  readonly asksPermission: boolean
  /** The signal on which the CLI writes down where it stands and ends what it started. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM'
  /** Begins the exchange with one process of the CLI. */
  talk(launch: RunLaunch): RunTalk
  /**
   * What a line of the output says that the transcript does not hold yet, of this conversation's main thread. Pure. Absent = nothing.
   */
  readonly livePieces?: (line: Uint8Array, session: SessionId) => LivePiece[]
  /** What the end of the process means. Pure. */
  outcome(end: RunEnd): RunOutcome
}

/**
 * The exchange with one process of the CLI, in its own protocol. It keeps what it needs of earlier lines: what is said before the CLI
 * can take it comes out of a later `read` as a `reply`. Never throws.
 */
export interface RunTalk {
  /** Goes into the CLI's input as soon as its process is there; '' = nothing. */
  opening(): string
  /** Reads a line of its output. Lines that are not understood give nothing. */
  read(line: Uint8Array): RunEvent[]
  /** What goes into its input for a text of ours; '' = it is kept for a later `reply`. */
  say(text: string, uuid: string, urgency: 'now' | 'next'): string
  /** Ends the turn that is under way. `null` = a signal does. */
  interrupt(requestId: string): string | null
  /** Answers a `permission` event. */
  permit(requestId: string, answer: PermissionAnswer): string
}

/** All that a run begins with. */
export type RunLaunch = RunArguments & RunFileOptions

/** A file of a run's own. */
export interface RunFile {
  /** Without a folder. */
  name: string
  text: string
}

export interface RunArguments extends Omit<RunSettings, 'timeoutMs'> {
  conversation:
    | { kind: 'new'; sessionId: string }
    | { kind: 'resume'; sessionId: string }
    | { kind: 'fork'; path: string; sessionId: string }
  /** Absolute paths of the `runFiles`, by their names. */
  files: Readonly<Record<string, string>>
  /** `user,project,local` or fewer: which of the person's own settings count. */
  settingSources: string
  /** It tells the model's words as they come, where the CLI does that only when asked. */
  tellsPieces?: boolean
  /** Ask us about tool calls that need approval. */
  asksPermission: boolean
  /** It starts in Lodeline's sandbox. */
  isBoxed: boolean
}

export interface RunFileOptions {
  /** argv that starts `lode`, with an absolute path. */
  lode: readonly string[]
  serverUrl: string
  /** The attempt's. */
  token: string
  /** Rules in the format of `worker.deny`: the CLI itself refuses such calls, in every permission mode. */
  denied: readonly string[]
  /** The CLI's configuration folder, and MCP servers of the person's own there that the run gets, by name. */
  root: string
  mcpServers: readonly string[]
  /** The run's folder, and the person's home, to which the rules' paths may be relative. */
  cwd: string
  userHome: string
  /** Lodeline's tools for the run, for a CLI that does not ask for them by MCP. */
  tools: readonly ListedTool[]
}

/** The CLI's program, and the environment in which it is called beside a run. */
export interface CliProgram {
  path: string
  env: Readonly<Record<string, string>>
}

export interface CliPlace {
  /** The CLI's configuration folder (`~/.claude`). */
  root: string
  /** The working directory, as it will be given to the CLI. */
  cwd: string
}

export interface StateOptions extends Pick<RunArguments, 'conversation' | 'permissionMode'> {
  /** The run's environment, without its own additions. */
  env: Readonly<Record<string, string>>
}

/** Why a CLI has no sandbox: words behind `the task can't have one: `. */
export interface Unboxed {
  why: string
}

/** The files of an agent CLI, by what a sandboxed run has of them. Those of the configuration folder that are not named are read only. */
export interface CliState {
  /** Below the configuration folder: written, and kept. They are made when they are missing. */
  kept: readonly string[]
  /** Below it, too: written and kept where they are there already. */
  shared: readonly string[]
  /** Names in it: each run has its own, empty at its start, which ends with it. */
  private: readonly string[]
  /**
   * Folders of this conversation within private ones, without which the CLI can't work. Where a run can have no private ones of its own,
   * these are made and written; the others are refused.
   */
  needed: readonly string[]
  /** Whole paths of files: each run has a copy, which ends with it. */
  copied: readonly string[]
  /** Paths of files below the configuration folder, in what is private: read. */
  readable: readonly string[]
  /** Whole paths of folders elsewhere: read. They lie in places of which a run has its own. */
  elsewhere: readonly string[]
  /** Paths of files below it, in what is kept: other conversations, which the run neither sees nor changes. */
  hidden: readonly string[]
}

export interface PermissionAnswer {
  behavior: 'allow' | 'deny'
  message: string | null
  /** The tool's input as it was asked for: an `allow` must repeat it. */
  input: unknown
}

/** A file of a conversation, or a piece of one: the pieces of a file come one after another. */
export interface RestoredPiece {
  /** As an export names the file. */
  name: string
  bytes: Uint8Array
  /** The path at which the file was recorded, where an export has another name for it and the path is known. */
  recordedAt?: string
}

/** What a line of a run's output means to the worker. Unknown lines give nothing. */
export type RunEvent =
  | { kind: 'init'; sessionId: string; cwd: string | null; model: string | null; version: string | null }
  /** `idle` with nothing left in the background is the end of the work. */
  | { kind: 'state'; state: 'running' | 'requires_action' | 'idle' }
  /** All that runs in the background now. */
  | { kind: 'background'; agents: string[]; shells: string[] }
  | { kind: 'result'; result: RunResult }
  | {
      kind: 'permission'
      requestId: string
      toolUseId: string | null
      toolName: string
      input: unknown
      description: string | null
    }
  /** Goes into the CLI's input at once: its protocol asks for it. */
  | { kind: 'reply'; text: string }
  /** One of our inputs stands in the conversation. */
  | { kind: 'delivered'; uuid: string }
  | { kind: 'retrying'; attempt: number; reason: string; delayMs: number }
  | { kind: 'compacted' }
  /** The model's API refused, or a limit of the account was met. Collect the texts, newest last, for `RunEnd.apiErrors`. */
  | { kind: 'api_error'; text: string }
  /** For the task's log; at most 4,000 characters. Main thread only, but for the launch and end of sub-agents. */
  | { kind: 'text' | 'tool' | 'tool_result'; text: string }

export interface RunResult {
  subtype: string
  isError: boolean
  text: string | null
  errors: string[]
  numTurns: number | null
  /** Totals of the process so far, sub-agents included: take the last, never add. */
  costUsd: number | null
  usage: Usage | null
  terminalReason: string | null
  sessionId: string | null
}

export interface RunEnd {
  exitCode: number | null
  signal: string | null
  /** The last one. */
  result: RunResult | null
  /** The last 16 kB. */
  stderr: string
  /** Texts of API errors seen on the way, newest last. */
  apiErrors: string[]
  /** Whether this run was to continue a conversation. */
  isResume: boolean
  now: number
}

export interface RunOutcome {
  isOk: boolean
  failureClass: FailureClass | null
  /** One sentence for a person, with what to do when something is to be done. */
  reason: string
  /** ISO 8601. */
  resetAt: string | null
}
