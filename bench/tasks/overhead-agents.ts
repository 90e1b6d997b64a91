import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Codex } from '../../test/agents/codex'
import { Copilot } from '../../test/agents/copilot'
import { Opencode } from '../../test/agents/opencode'
import { Pi } from '../../test/agents/pi'
import { Lab } from '../../test/lab/lab'
import type { Lode, LodeOptions } from '../../test/lab/lode'
import type { Bench, Figure } from '../common/figure'
import { round, spread } from '../common/measure'

const ROUNDS = 9
const MOST_MS = 50

/** An agent CLI with a scripted model, which answers at once. */
interface Cli extends AsyncDisposable {
  readonly project: string
  readonly folder: string
  /** One prompt to its end. */
  run(prompt: string): Promise<unknown>
}

interface Started {
  cli: Cli
  options: LodeOptions
}

/** By the names of agent CLIs. */
const CLIS: Readonly<Record<string, (root: string, temporary: string) => Promise<Started>>> = {
  codex: async (root, temporary) => {
    const cli = await Codex.start(root, {})
    cli.configure()
    return {
      cli,
      options: {
        path: [cli.onPath()],
        env: { HOME: cli.home, LOCAL_KEY: 'none', TMPDIR: temporary },
        settings: { 'worker.passEnvironment': ['LOCAL_KEY'] },
      },
    }
  },
  copilot: async (root) => {
    const cli = await Copilot.start(root, {})
    return {
      cli,
      options: {
        env: { HOME: cli.home, ...cli.environment },
        settings: { 'agents.copilot.executable': cli.program, 'worker.passEnvironment': Object.keys(cli.environment) },
      },
    }
  },
  opencode: async (root) => {
    const cli = await Opencode.start(root, {})
    return {
      cli,
      options: {
        env: { HOME: cli.home, ...cli.environment },
        settings: { 'agents.opencode.executable': cli.program },
      },
    }
  },
  pi: async (root) => {
    const cli = await Pi.start(root, {})
    return {
      cli,
      options: {
        env: { HOME: cli.home, PI_OFFLINE: '1' },
        settings: { 'agents.pi.executable': cli.program(), 'worker.passEnvironment': ['PI_OFFLINE'] },
      },
    }
  },
}

/** A run of each agent CLI by a worker against the CLI alone: the same prompt and answer, by turns. */
export const overheadAgentsFigure: Figure = {
  name: 'overhead-agents',
  target: `a task of each agent CLI from its creation to completed takes < ${MOST_MS} ms longer than the CLI alone`,
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
  const { cli, options } = await start(lab.folder('c'), temporary)
  lab.ending(name, () => cli[Symbol.asyncDispose]())
  const lode = lab.addLode('l', {
    ...options,
    command: [bench.lode],
    cwd: cli.project,
    homes: { [name]: [cli.folder] },
    settings: { 'worker.maxPermissionMode': 'bypassPermissions', 'worker.sandbox': 'off', ...options.settings },
  })
  await lode.up()
  const plain: number[] = []
  const tasks: number[] = []
  for (let each = -2; each < ROUNDS; each++) {
    const before = performance.now()
    await cli.run('say it')
    const plainMs = performance.now() - before
    const taskMs = await timeTask(lode, cli.project, name)
    // The first ones fill the system's caches.
    if (each < 0) continue
    plain.push(plainMs)
    tasks.push(taskMs)
  }
  const [alone, run] = [spread(plain), spread(tasks)]
  return { overheadMs: round(run.p50Ms - alone.p50Ms), alone, task: run }
}

async function timeTask({ client }: Lode, dir: string, name: string): Promise<number> {
  const before = performance.now()
  const { task } = await client.tasks.create({
    ...{ task: 'say it', dir, agentClis: [name], permissionMode: 'bypassPermissions' },
  })
  for await (const _line of client.tasks.followLog(task.id)) {
    // It ends with the task.
  }
  const took = performance.now() - before
  const { task: ended } = await client.tasks.get(task.id)
  if (ended.status !== 'completed') throw new Error(`the task is ${ended.status}: ${ended.reason}`)
  return took
}
