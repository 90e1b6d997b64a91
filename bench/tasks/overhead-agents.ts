import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, httpTransport } from '../../src/api/client'
import { Codex } from '../../test/agents/codex'
import { Copilot } from '../../test/agents/copilot'
import { Opencode } from '../../test/agents/opencode'
import { Pi } from '../../test/agents/pi'
import { Lab } from '../../test/lab/lab'
import type { LodeOptions } from '../../test/lab/lode'
import type { Bench, Figure } from '../common/figure'
import { round, spread } from '../common/measure'
import { acp, appServer, promptAlone, rpc } from './alone'
import type { TaskClient } from './work-server'

const ROUNDS = 9
/** They fill the system's caches, and let the server compile what it runs often, as one that was started yesterday has. */
const WARM_UP = 6
const MOST_MS = 50

/** An agent CLI with a scripted model, which answers at once. */
interface Cli extends AsyncDisposable {
  readonly project: string
  readonly folder: string
  /** One prompt to its end, by the command that the CLI has for it. */
  run(prompt: string): Promise<unknown>
}

interface Started {
  cli: Cli
  /** One prompt to its end, in the mode in which Lodeline drives the CLI. */
  alone(): Promise<void>
  options: LodeOptions
}

const PATH = process.env.PATH ?? ''

/** By the names of agent CLIs. */
const CLIS: Readonly<Record<string, (root: string, temporary: string) => Promise<Started>>> = {
  codex: async (root, temporary) => {
    const cli = await Codex.start(root, {})
    cli.configure()
    const env = { HOME: cli.home, LOCAL_KEY: 'none', TMPDIR: temporary }
    const program = join(cli.onPath(), 'codex')
    const args = ['app-server', '-c', 'analytics.enabled=false']
    return {
      cli,
      alone: () => promptAlone({ program, args, cwd: cli.project, env: { PATH, ...env } }, appServer),
      options: {
        path: [cli.onPath()],
        env,
        settings: { 'worker.passEnvironment': ['LOCAL_KEY'] },
      },
    }
  },
  copilot: async (root) => {
    const cli = await Copilot.start(root, {})
    const { program, project: cwd } = cli
    const env = { HOME: cli.home, ...cli.environment }
    const args = ['--acp', '--no-auto-update', '--allow-all-tools']
    return {
      cli,
      alone: () => promptAlone({ program, args, cwd, env: { PATH, ...env } }, acp),
      options: {
        env,
        settings: { 'agents.copilot.executable': program, 'worker.passEnvironment': Object.keys(cli.environment) },
      },
    }
  },
  opencode: async (root, temporary) => {
    const cli = await Opencode.start(root, {})
    const { program, project: cwd } = cli
    // Each start leaves a library of 5 MB in the folder for temporary files.
    const env = { HOME: cli.home, TMPDIR: temporary, ...cli.environment }
    return {
      cli,
      alone: () => promptAlone({ program, args: ['acp'], cwd, env: { PATH, ...env } }, acp),
      options: {
        env,
        settings: { 'agents.opencode.executable': program },
      },
    }
  },
  pi: async (root) => {
    const cli = await Pi.start(root, {})
    const program = cli.program()
    const env = { HOME: cli.home, PI_OFFLINE: '1' }
    return {
      cli,
      alone: () => promptAlone({ program, args: ['--mode', 'rpc'], cwd: cli.project, env: { PATH, ...env } }, rpc),
      options: {
        env,
        settings: { 'agents.pi.executable': program, 'worker.passEnvironment': ['PI_OFFLINE'] },
      },
    }
  },
}

/**
 * A run of each agent CLI by a worker against the CLI alone, by turns, with the same prompt and answer. Alone it is driven by the same
 * protocol, so the figure is what Lodeline adds; beside it stands the CLI's own command for one prompt, which is another program for some.
 */
export const overheadAgentsFigure: Figure = {
  name: 'overhead-agents',
  target: `a task of each agent CLI from its creation to completed takes < ${MOST_MS} ms longer than the CLI alone in the same mode`,
  async measure(bench) {
    const values: Record<string, Awaited<ReturnType<typeof measureCli>>> = {}
    for (const name of Object.keys(CLIS)) {
      const measured = await measureCli(bench, name)
      bench.note(`${name}: ${measured.overheadMs} ms`)
      values[name] = measured
    }
    return { ok: Object.values(values).every(({ overheadMs }) => overheadMs < MOST_MS), values, limit: {} }
  },
}

async function measureCli(bench: Bench, name: string) {
  await using lab = new Lab()
  const start = CLIS[name]
  if (start === undefined) throw new Error(`no agent CLI: ${name}`)
  const temporary = join(bench.folder, name)
  mkdirSync(temporary, { recursive: true })
  const { cli, alone: promptOnce, options } = await start(lab.folder('c'), temporary)
  lab.ending(name, () => cli[Symbol.asyncDispose]())
  const lode = lab.addLode('l', {
    ...options,
    command: [bench.lode],
    cwd: cli.project,
    homes: { [name]: [cli.folder] },
    settings: { 'worker.maxPermissionMode': 'bypassPermissions', 'worker.sandbox': 'off', ...options.settings },
  })
  await lode.up()
  // Tests' own client looks at each answer by its schema, and has the server prove itself for each request.
  const client = createClient(httpTransport({ token: lode.token, origin: lode.url }), { baseUrl: lode.url })
  const ways: Record<'command' | 'alone' | 'task', () => Promise<void | (() => Promise<void>)>> = {
    command: async () => void (await cli.run('say it')),
    alone: promptOnce,
    task: () => runTask(client, cli.project, name),
  }
  const times: Record<keyof typeof ways, number[]> = { command: [], alone: [], task: [] }
  for (let each = -WARM_UP; each < ROUNDS; each++)
    for (const way of ['command', 'alone', 'task'] as const) {
      // For the other two, what the system's caches hold is enough.
      if (each < -1 && way !== 'task') continue
      const before = performance.now()
      const check = await ways[way]()
      const took = performance.now() - before
      await check?.()
      if (each >= 0) times[way].push(took)
    }
  const [command, alone, task] = [spread(times.command), spread(times.alone), spread(times.task)]
  return { overheadMs: round(task.p50Ms - alone.p50Ms), alone, task, command }
}

/** @returns what looks afterwards whether it completed */
async function runTask(client: TaskClient, dir: string, name: string): Promise<() => Promise<void>> {
  const { task } = await client.tasks.create({
    ...{ task: 'say it', dir, agentClis: [name], permissionMode: 'bypassPermissions' },
  })
  for await (const _line of client.tasks.followLog(task.id)) {
    // It ends with the task.
  }
  return async () => {
    const { task: ended } = await client.tasks.get(task.id)
    if (ended.status !== 'completed') throw new Error(`the task is ${ended.status}: ${ended.reason}`)
  }
}
