import type { HarnessRun } from '../../domain/harness/harness-run'
import type { AgentName, AttemptId, TaskId } from '../../domain/ids'
import type { WorkerClient, WorkerOptions } from '../options'
import type { Sandboxes } from '../sandbox/sandbox'
import type { CliFinder } from './cli/agent-cli'
import type { Guards } from './guards'

/** What all attempts of a worker share. */
export interface RunContext {
  options: WorkerOptions & { name: string }
  sandboxes: Sandboxes
  guards: Pick<Guards, 'spawn'>
  /** Finds the program of an agent CLI. */
  cliOf(harness: HarnessRun): CliFinder
  /** The program of an agent CLI is not there any more. Resolves when the server knows, or after a while. */
  cliLost(agent: AgentName): Promise<void>
  /** Speaks as the worker. */
  client(): WorkerClient
  /** Resolves when no run of this task is left in this worker. */
  whenOver(task: TaskId): Promise<void>
  /** The server gave it once more after its run here was over: whose folder it is now. */
  isBegunAgain(attempt: AttemptId): boolean
  /** Resolves when the server has the output of the runs that an earlier process of this worker left. Never fails. */
  leftoversDelivered(): Promise<unknown>
  /** The epoch of the server's database, as far as its answers named it. */
  epoch(): string | null
  /** As its next answer tells; `null` = it does not, or the worker ends before. */
  nextEpoch(): Promise<string | null>
}
