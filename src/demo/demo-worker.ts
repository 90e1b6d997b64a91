import { join } from 'node:path'
import { withExecutable } from '../app/agents/agent-run'
import type { OtherCli } from '../app/agents/other-cli'
import { runWorker } from '../app/worker'
import type { Config } from '../config/load'
import { HOUR_MS } from '../domain/time-units'
import type { Logger } from '../util/log'
import { OTHER_HOME } from './carry-act'
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
  /** Another agent CLI that takes over at the usage limit of the first one, and its configuration folder. */
  other?: { cli: OtherCli; root: string } | undefined
  log: Logger
}

/** How long a person may take to answer. */
const ANSWER_MS = HOUR_MS

/** How long running work may take to end when the demo ends early. */
const STOP_MS = 3_000

/** A worker with settings of its own: what the user has set for real tasks has no say in the story. */
export async function startDemoWorker(config: Config, options: DemoWorkerOptions): Promise<DemoWorker> {
  const worker: Config['worker'] = {
    enabled: true,
    name: options.isAsking === true ? 'till' : 'demo',
    concurrency: 1,
    capabilities: [],
    account: null,
    agent: null,
    fallback: options.other !== undefined,
    settingSources: 'user',
    dir: null,
    dirs: [],
    worktreeFolder: join(config.home, 'worktrees'),
    mirrorFolder: join(config.home, 'mirrors'),
    liveWords: true,
    workCopies: false,
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
    passEnvironment: options.other === undefined ? [] : [OTHER_HOME],
    mcpServers: [],
  }
  const { serverUrl, token, env, log } = options
  const agents = { ...config.agents, ...agentsOf(options.other) }
  const running = await runWorker(withExecutable({ ...config, agents, worker }, options.executable), {
    serverUrls: [serverUrl],
    token: () => token,
    env,
    log,
  })
  // What it can't go on for shows in the tasks.
  running.done.catch(() => {})
  return { name: running.name, idle: () => running.idle(), stop: () => running.stop({ deadlineMs: STOP_MS }) }
}

const agentsOf = (other: DemoWorkerOptions['other']): Config['agents'] =>
  other === undefined ? {} : { [other.cli.name]: { homes: [other.root], executable: other.cli.executable } }
