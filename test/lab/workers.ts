/** Workers as a person runs them: `lode work`, each in a process of its own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Claude, cliPath } from './claude'
import type { Lode } from './lode'
import type { Machine } from './machine'
import { isAlive, killAll, processTree } from './processes'
import { PASS_ENVIRONMENT } from './quick-start'
import type { RunningCommand } from './running-command'
import { until } from './until'

/** How a worker is started; the same each time. */
export interface WorkerSeat {
  name: string
  /** At once. */
  concurrency?: number
  /** Instead of the lab's own: what another machine would have. */
  environment?: Record<string, string>
  /** Instead of the server's own address: a way to it. */
  url?: string
  /** Where it runs; by default where `lode` does. */
  machine?: Machine
  /** Settings of another installation, beside those of every one. */
  settings?: Readonly<Record<string, unknown>>
  /** How it shows who it is. Default: the operator's token. */
  access?: readonly string[]
}

export class Workers {
  readonly #lode: Lode
  readonly #claude: Claude | undefined
  readonly #workers = new Map<string, RunningCommand>()

  constructor(lode: Lode, claude: Claude | undefined) {
    this.#lode = lode
    this.#claude = claude
  }

  /** The newest process of this name. */
  get(name: string): RunningCommand {
    const worker = this.#workers.get(name)
    if (worker === undefined) throw new Error(`no worker ${name}`)
    return worker
  }

  /** Starts a worker and waits until it takes tasks, or with `isAwaited: false` comes back at once. */
  async start(
    { name, concurrency = 1, environment = {}, url = this.#lode.url, machine, access, settings }: WorkerSeat,
    isAwaited = true,
  ): Promise<RunningCommand> {
    if (environment.LODELINE_HOME !== undefined) this.#install(environment.LODELINE_HOME, settings)
    if (environment.HOME !== undefined) mkdirSync(environment.HOME, { recursive: true })
    const shown = access ?? ['--token-file', join(this.#lode.home, 'token'), '--name', name]
    const args = ['work', '--server', url, ...shown, '--concurrency', String(concurrency)]
    const spawned = this.#lode.spawn(args, environment, undefined, machine)
    const worker = machine === undefined ? spawned : within(spawned)
    this.#workers.set(name, worker)
    try {
      if (isAwaited)
        await until(`worker ${name}`, () => {
          if (!isAlive(worker.pid)) throw new Error(`worker ${name} ended: ${worker.stderr()}`)
          return worker.stdout().includes(`worker ${name}`)
        })
    } catch (error) {
      killAll(processTree(worker.pid))
      throw error
    }
    return worker
  }

  /** Makes the folder of another installation, with what a person would set there. */
  #install(home: string, more: WorkerSeat['settings']): void {
    mkdirSync(home, { recursive: true })
    const settings = {
      ...(this.#claude && { 'agents.claude-code.executable': cliPath(this.#claude.version) }),
      'worker.maxPermissionMode': 'bypassPermissions',
      'worker.passEnvironment': PASS_ENVIRONMENT,
      'worker.sandbox': 'off',
      ...more,
    }
    writeFileSync(join(home, 'config.yaml'), JSON.stringify(settings))
  }
}

/** On a machine of its own a worker is the child of what led it there, which stands still with it. */
function within(leader: RunningCommand): RunningCommand {
  const own = () => processTree(leader.pid)[1] ?? leader.pid
  return {
    ...leader,
    signal(name) {
      process.kill(own(), name)
      if (name === 'SIGCONT' || name === 'SIGKILL') leader.signal(name)
    },
  }
}
