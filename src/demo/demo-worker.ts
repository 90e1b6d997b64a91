import { join } from 'node:path'
import { withExecutable } from '../app/agent-run'
import { runWorker } from '../app/worker'
import type { Config } from '../config/load'
import type { Logger } from '../util/log'
import type { DemoWorker } from './task-act'

export interface DemoWorkerOptions {
  serverUrl: string
  token: string
  /** All that the runs get of an environment. */
  env: Readonly<Record<string, string>>
  /** The agent's CLI. */
  executable: string
  /** Its runs ask the person before each call that could change anything, and wait for the answer. */
  isAsking?: boolean
  log: Logger
}

/** A person may take so long to answer. */
const ANSWER_MS = 3_600_000

/** What still runs when the demo ends early gets so long. */
const STOP_MS = 3_000

/** A worker with settings of its own: what the user has set for real tasks has no say in the story. */
export async function startDemoWorker(config: Config, options: DemoWorkerOptions): Promise<DemoWorker> {
  const worker: Config['worker'] = {
    enabled: true,
    name: options.isAsking === true ? 'till' : 'demo',
    concurrency: 1,
    capabilities: [],
    agent: null,
    fallback: false,
    settingSources: 'user',
    dir: null,
    dirs: [],
    worktreeFolder: join(config.home, 'worktrees'),
    keepWorktrees: 'changed',
    backgroundGraceMs: 1_000,
    questionMs: options.isAsking === true ? ANSWER_MS : 1_000,
    questionDefault: 'deny',
    allow: options.isAsking === true ? [] : ['Bash'],
    deny: [],
    maxPermissionMode: 'default',
    sandbox: 'off',
    writableDirs: [],
    network: [],
    passEnvironment: [],
    mcpServers: [],
  }
  const { serverUrl, token, env, log } = options
  const running = await runWorker(withExecutable({ ...config, worker }, options.executable), {
    serverUrls: [serverUrl],
    token: () => token,
    env,
    log,
  })
  // What it can't go on for shows in the tasks.
  running.done.catch(() => {})
  return { name: running.name, idle: () => running.idle(), stop: () => running.stop({ deadlineMs: STOP_MS }) }
}
