import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, httpTransport } from '../../src/api/client'
import { claudeCli } from '../../src/util/claude-cli'
import { type LabWith, openLab } from '../../test/lab/lab'
import { Server } from '../common/lode'
import type { TaskClient } from './work-server'

/** The newest release that package.json pins. */
const VERSION = '2.1.328'

/** The real CLI with a scripted model, a server that follows its folder, and workers in processes of their own. */
export class RunServer {
  readonly lab: LabWith<'claude'>
  readonly executable: string
  readonly client: TaskClient
  private readonly lode: string
  private readonly home: string
  private readonly server: Server
  private readonly workers = new Set<Bun.Subprocess>()

  private constructor(given: {
    lab: LabWith<'claude'>
    lode: string
    home: string
    server: Server
    executable: string
  }) {
    this.lab = given.lab
    this.lode = given.lode
    this.home = given.home
    this.server = given.server
    this.executable = given.executable
    const { url, headers } = given.server
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    this.client = createClient(httpTransport({ token, origin: url }), { baseUrl: url })
  }

  /** @param rules  of the model server, see `test/lab/model-server.mjs` */
  static async start(lode: string, folder: string, rules: object[]): Promise<RunServer> {
    mkdirSync(folder, { recursive: true })
    const lab = await openLab({ claude: { version: VERSION, script: rules } })
    const home = join(folder, 'h')
    const executable = claudeCli(VERSION)
    mkdirSync(home, { recursive: true, mode: 0o700 })
    writeFileSync(
      join(home, 'config.yaml'),
      JSON.stringify({
        'agents.claude-code.homes': [lab.claude.claudeRoot],
        'listen.port': 0,
        'worker.enabled': false,
        'agents.claude-code.executable': executable,
        'worker.sandbox': 'off',
        'worker.maxPermissionMode': 'bypassPermissions',
        // Where the scripted model is, and what the CLI asks of a machine for tests.
        'worker.passEnvironment': Object.keys(lab.claude.environment()),
      }),
    )
    try {
      const server = await Server.start(lode, home, 'up')
      return new RunServer({ lab, lode, home, server, executable })
    } catch (error) {
      await lab.stop()
      throw error
    }
  }

  /** Starts `lode work` under this name. */
  work(name: string): Bun.Subprocess {
    const worker = Bun.spawn([this.lode, 'work', '--name', name, '--home', this.home], {
      cwd: this.lab.claude.project,
      env: this.lab.claude.environment(),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    })
    this.workers.add(worker)
    return worker
  }

  async stop(): Promise<void> {
    for (const worker of this.workers) worker.kill('SIGTERM')
    await Promise.all([...this.workers].map((worker) => worker.exited))
    await this.server.stop()
    await this.lab.stop()
  }
}

/** Asks again every 2 ms until there is an answer. @throws after 60 s */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end; await Bun.sleep(2)) {
    const answer = await ask()
    if (answer !== undefined) return answer
  }
  throw new Error(`waited a minute for ${what}`)
}
