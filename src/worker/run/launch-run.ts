import type { HarnessRun, RunLaunch, RunTalk } from '../../domain/harness/harness-run'
import type { RecallMoment } from '../../domain/recall/recall'
import { LEAD_TASK_TYPE } from '../../domain/task/task'
import { runSettingsOf } from '../../domain/task/task-fields'
import type { Assignment } from '../../domain/task/worker-protocol'
import type { WorkerOptions } from '../options'
import type { Box } from '../sandbox/sandbox'
import type { AttemptFolder } from './attempt-folder'
import { type AgentCli, runEnvironment } from './cli/agent-cli'
import type { Climbed } from './conversation/ladder'
import type { GuardedOptions, GuardedProcess } from './guarded-process'
import type { Guards } from './guards'
import { userHomeOf } from './run-rules'

/** The run's first message, by how its CLI is started. */
export const FIRST_MOMENTS = { new: 'startup', resume: 'resume', fork: 'fork' } as const satisfies Record<
  RunLaunch['conversation']['kind'],
  RecallMoment
>

export interface LaunchOptions {
  assignment: Assignment
  options: WorkerOptions
  guards: Pick<Guards, 'spawn'>
  harness: HarnessRun
  folder: AttemptFolder
  cwd: string
  /** Rules for tool calls that are refused whatever the run's mode. */
  denied: readonly string[]
  program: AgentCli
  /** What keeps the run from the rest of the machine: words before its command. */
  box: Box
  climbed: Climbed
  /** The guard's first message, and the listener to its reports. */
  fence: Pick<GuardedOptions, 'limits' | 'onFrozen' | 'onThawed'>
}

/** Starts the CLI under the guard, with the hooks, tools and identity of its attempt. It waits for its first prompt. */
export async function launchRun(asked: LaunchOptions): Promise<{ process: GuardedProcess; talk: RunTalk }> {
  const { assignment, options, guards, harness, folder, cwd, denied, program, box, climbed, fence } = asked
  const { attemptId, task, token } = assignment
  const { settings, serverUrl, lode, home } = options
  // A run learns where its hooks write by this, and not by its environment: nothing else in it has business in Lodeline's folder.
  const userHome = userHomeOf(options.env)
  const root = options.rootOf(harness.agent, runEnvironment(harness, options, {}))
  const { mcpServers } = settings
  const tools = await options.toolsOf(task.taskType === LEAD_TASK_TYPE)
  const orders = { lode: [...lode, '--home', box.home ?? home], serverUrl, token, denied, cwd, userHome, tools }
  const given = { ...orders, root, mcpServers }
  const launch: RunLaunch = {
    ...given,
    conversation: climbed.launch,
    ...runSettingsOf(task),
    files: Object.fromEntries(harness.runFiles(given).map(({ name, text }) => [name, folder.writeRunFile(name, text)])),
    settingSources: settings.settingSources,
    tellsPieces: settings.liveWords,
    asksPermission: harness.asksPermission,
    isBoxed: box.words.length > 0,
  }
  const own = {
    LODELINE_URL: serverUrl,
    LODELINE_TOKEN: token,
    LODELINE_TASK_ID: task.id,
    LODELINE_ATTEMPT_ID: attemptId,
    LODELINE_RUN_DIR: folder.run,
    LODELINE_RUN_MOMENT: FIRST_MOMENTS[climbed.launch.kind],
  }
  // The sandbox has the last word on how the network is reached: the person's own proxies are not there.
  const env = { ...runEnvironment(harness, options, own), ...box.env }
  const args = harness.runArguments(launch)
  const command = program.path
  const process = await guards.spawn({ lode, box, command, args, cwd, env, ...fence })
  return { process, talk: harness.talk(launch) }
}
