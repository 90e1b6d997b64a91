import type { HarnessRun } from '../../domain/harness/harness-run'
import { runSettingsOf } from '../../domain/task/task-fields'
import type { Assignment } from '../../domain/task/worker-protocol'
import type { WorkerOptions } from '../options'
import type { Box } from '../sandbox/sandbox'
import { type AgentCli, runEnvironment } from './agent-cli'
import type { AttemptFolder } from './attempt-folder'
import { type GuardedOptions, type GuardedProcess, spawnGuarded } from './guarded-process'
import type { Climbed } from './ladder'
import { userHomeOf } from './run-rules'

export interface LaunchOptions {
  assignment: Assignment
  options: WorkerOptions
  harness: HarnessRun
  folder: AttemptFolder
  cwd: string
  /** Rules for tool calls that are refused whatever the run's mode. */
  denied: readonly string[]
  program: AgentCli
  /** What keeps the run from the rest of the machine: words before its command. */
  box: Box
  climbed: Climbed
  /** What the guard is told first, and to whom it says what it does. */
  fence: Pick<GuardedOptions, 'limits' | 'onFrozen' | 'onThawed'>
}

/** Starts the CLI under the guard, with the hooks, tools and identity of its attempt. It waits for its first prompt. */
export function launchRun(given: LaunchOptions): Promise<GuardedProcess> {
  const { assignment, options, harness, folder, cwd, denied, program, box, climbed, fence } = given
  const { attemptId, task, token } = assignment
  const { settings, serverUrl, lode, home } = options
  // A run is told where its hooks write, and not by its environment: nothing else in it has business in Lodeline's folder.
  const userHome = userHomeOf(options.env)
  const root = options.rootOf(harness.agent, runEnvironment(harness, options, {}))
  const { mcpServers } = settings
  const orders = { lode: [...lode, '--home', box.home ?? home], serverUrl, token, denied, cwd, userHome }
  const files = harness.runFiles({ ...orders, root, mcpServers })
  if (files.settings !== null) folder.write(folder.settings, files.settings)
  if (files.mcpConfig !== null) folder.write(folder.mcpConfig, files.mcpConfig)
  const args = harness.runArguments({
    conversation: climbed.launch,
    ...runSettingsOf(task),
    settingsPath: files.settings === null ? null : folder.settings,
    mcpConfigPath: files.mcpConfig === null ? null : folder.mcpConfig,
    settingSources: settings.settingSources,
    asksPermission: harness.permissionLine !== null,
  })
  const own = {
    LODELINE_URL: serverUrl,
    LODELINE_TOKEN: token,
    LODELINE_TASK_ID: task.id,
    LODELINE_ATTEMPT_ID: attemptId,
    LODELINE_RUN_DIR: folder.run,
  }
  // The sandbox has the last word on how the network is reached: the person's own proxies are not there.
  const env = { ...runEnvironment(harness, options, own), ...box.env }
  return (options.spawn ?? spawnGuarded)({ lode, box, command: program.path, args, cwd, env, ...fence })
}
