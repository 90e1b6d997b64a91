import type { Assignment } from '../domain/worker-protocol'
import { mcpConfigFile, settingsFile } from '../harness/claude-code/run'
import { type AgentCli, runEnvironment } from './agent-cli'
import type { AttemptFolder } from './attempt-folder'
import { type GuardedOptions, type GuardedProcess, spawnGuarded } from './guarded-process'
import type { Climbed } from './ladder'
import type { WorkerOptions } from './options'

export interface LaunchOptions {
  assignment: Assignment
  options: WorkerOptions
  folder: AttemptFolder
  cwd: string
  program: AgentCli
  climbed: Climbed
  /** What the guard is told first, and to whom it says what it does. */
  fence: Pick<GuardedOptions, 'limits' | 'onFrozen' | 'onThawed'>
}

/** Starts the CLI under the guard, with the hooks, tools and identity of its attempt. It waits for its first prompt. */
export function launchRun(given: LaunchOptions): Promise<GuardedProcess> {
  const { assignment, options, folder, cwd, program, climbed, fence } = given
  const { attemptId, task, token } = assignment
  const { harness, settings, serverUrl, lode, home } = options
  folder.write(folder.settings, settingsFile({ lode }))
  folder.write(folder.mcpConfig, mcpConfigFile({ serverUrl, token }))
  const args = harness.runArguments({
    conversation: climbed.launch,
    model: task.model,
    permissionMode: task.permissionMode,
    maxTurns: task.maxTurns,
    maxCostUsd: task.maxCostUsd,
    settingsPath: folder.settings,
    mcpConfigPath: folder.mcpConfig,
    settingSources: settings.settingSources,
    asksPermission: true,
  })
  const env = runEnvironment(options, {
    LODELINE_HOME: home,
    LODELINE_URL: serverUrl,
    LODELINE_TOKEN: token,
    LODELINE_TASK_ID: task.id,
    LODELINE_ATTEMPT_ID: attemptId,
    LODELINE_RUN_DIR: folder.path,
  })
  return (options.spawn ?? spawnGuarded)({ lode, command: program.path, args, cwd, env, ...fence })
}
