import type { Client } from '../api/client/client'
import type { WorkerConfig } from '../config/load'
import type { AgentHarness } from '../domain/harness/agent-harness'
import type { HarnessRun } from '../domain/harness/harness-run'
import type { ListedTool } from '../domain/harness/listed-tool'
import type { AgentId, AgentName } from '../domain/ids'
import type { JoinAnswer } from '../domain/task/worker-protocol'
import type { Logger } from '../util/log'
import type { GuardedOptions, GuardedProcess } from './run/guarded-process'

/** All that a worker asks of the server. */
export type WorkerClient = Client

export interface WorkerOptions {
  /** Makes a client that presents this token. */
  connect(token: string): WorkerClient
  /** The operator's, or one that may join, as it is now: used to join only. */
  token(): string
  /** Where runs reach the server, e.g. `http://127.0.0.1:4655`. */
  serverUrl: string
  /** Lodeline's folder on this machine. */
  home: string
  /** Unique among all workers; one process at a time may have it. `null` = the host name. */
  name: string | null
  /** The present values: words that tasks may ask for, and how many attempts at once (1 or more). */
  capacity(): { capabilities: readonly string[]; concurrency: number }
  /** Takes only what is assigned or offered to it, nothing of the pool. */
  isAssignedOnly?: boolean
  hostname: string
  /** The installation's random id of this machine. */
  hostName: string
  /** The installation's secret, by which it proves that it is `hostName`. */
  hostKey: string
  /** Read where it is used: it may follow its file. */
  settings: WorkerConfig
  /** Calls `listener` when `settings` or `capacity` changed, until what it returns is called. */
  onSettings?: (listener: () => void) => () => void
  /** The environment that runs get what is fit for them of. */
  env: Readonly<Record<string, string | undefined>>
  /** argv that starts `lode`, e.g. `['/usr/local/bin/lode']`: for the guard and for hooks. */
  lode: readonly string[]
  log: Logger
  /** The agent CLI by which conversations begin here. */
  harness: HarnessRun
  /** The others that can be run, each loaded by a call. */
  others: readonly (() => Promise<HarnessRun>)[]
  /** What else is asked of a CLI: how its conversations are translated. @throws `not_found` */
  harnessOf(agent: AgentName): Pick<AgentHarness, 'name' | 'title' | 'translation'>
  /** That of a conversation that goes on. @throws `not_found` `invalid` it can't be run here */
  runOf(agent: AgentName): Promise<HarnessRun>
  /** Its program as the settings name it; `null` = as PATH finds it. */
  executableOf(agent: AgentName): string | null
  /** Lodeline's tools for a run. @param leads  its task leads others */
  toolsOf(leads: boolean): Promise<readonly ListedTool[]>
  /** The configuration folder that the CLI uses in an environment. */
  rootOf(agent: AgentName, env: Readonly<Record<string, string | undefined>>): string
  /** Starts a program under the guard. Default: `spawnGuarded`. */
  spawn?: (options: GuardedOptions) => Promise<GuardedProcess>
  /** Gives up a start that waits for the server. */
  signal?: AbortSignal
  /** Milliseconds since 1970. */
  now?: () => number
  /** After each join: for what records this machine's files at the server. */
  onJoin?: (answer: JoinAnswer, client: WorkerClient) => void | Promise<void>
  /** The server's database was restored from a backup: it may lack what it had acknowledged. */
  onRestored?: () => void
}

export interface RunningWorker {
  agentId: AgentId
  name: string
  /** Resolves once no attempt runs here; at once when there is none. */
  idle(): Promise<void>
  /** Agent CLIs that run now. */
  running(): number
  /**
   * Lets it end at the first moment at which nothing runs here, and tells the server so. It takes tasks until then: what runs may wait for
   * them. Again: changes nothing.
   *
   * @param askedAt  ISO 8601
   */
  endWhenIdle(askedAt: string): void
  /**
   * Takes nothing new, pauses what runs so that its conversation can go on, tells the server, and ends. What does not end within
   * `deadlineMs` is killed; called again with a shorter deadline it hurries. Never fails.
   */
  stop(options?: { deadlineMs?: number }): Promise<void>
  /** Resolves when it ended by `stop` or `endWhenIdle`; rejects when it can't go on (its token and the operator's are refused). */
  done: Promise<void>
}
