/** Lodeline as a person runs it, with the made-up agent CLI entered first. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createClient } from '../../../src/api/client/client'
import { httpTransport } from '../../../src/api/client/http-transport'
import type { Inputs } from '../../../src/api/contract/operations'
import { type Attempt, FINAL_TASK_STATUSES, type Task } from '../../../src/domain/task/task'
import type { WorkerClient } from '../../../src/worker/worker'
import { declared } from '../../api/answers/declared-answers'
import { isAlive, killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const main = resolve(import.meta.dir, '../../../src/cli/main.ts')
const enter = join(import.meta.dir, 'enter.ts')

export class MadeUpLab {
  readonly root = mkdtempSync('/tmp/ld-')
  readonly home = join(this.root, 'l')
  readonly project = join(this.root, 'p')
  /** The CLI's own folder. */
  readonly cliRoot = join(this.root, 'm')
  client = undefined as unknown as WorkerClient
  private server: Bun.Subprocess<'ignore', 'ignore', 'pipe'> | undefined

  constructor(databaseUrl: string | undefined) {
    const bin = join(this.root, 'bin')
    for (const folder of [this.home, this.project, this.cliRoot, bin]) mkdirSync(folder)
    const program = join(bin, 'made-up')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dir, 'cli.ts')}' "$@"\n`)
    chmodSync(program, 0o755)
    const settings = {
      'claude.roots': [join(this.root, 'no-claude')],
      'listen.port': 0,
      'worker.dir': this.project,
      databaseUrl,
    }
    // JSON is YAML too.
    writeFileSync(join(this.home, 'config.yaml'), JSON.stringify(settings))
  }

  environment(): Record<string, string> {
    const path = [join(this.root, 'bin'), process.env.PATH ?? ''].join(':')
    return { PATH: path, HOME: this.root, LODELINE_HOME: this.home, MADE_UP_HOME: this.cliRoot }
  }

  /** Starts `lode up` and waits until it answers. */
  async up(): Promise<void> {
    rmSync(join(this.home, 'server.json'), { force: true })
    const server = this.spawn(['up'])
    const said = server.stderr.text()
    this.server = server
    const url = await until('the server', async () => {
      if (server.exitCode !== null) throw new Error(`lode up ended with ${server.exitCode}: ${await said}`)
      return serverOf(this.home)
    })
    const token = readFileSync(join(this.home, 'token'), 'utf8').trim()
    this.client = createClient(declared(httpTransport({ token, origin: url })), { baseUrl: url })
  }

  /** Kills the server with all that it started. */
  async crash(): Promise<void> {
    const tree = this.server === undefined ? [] : processTree(this.server.pid)
    killAll(tree)
    await until('the server to be gone', () => !tree.some(isAlive))
    this.server = undefined
  }

  async stop(): Promise<void> {
    this.server?.kill('SIGTERM')
    await this.server?.exited
    rmSync(this.root, { recursive: true, force: true })
  }

  /** Runs a command to its end, in the project. @throws Error when it fails */
  async lode(...args: string[]): Promise<string> {
    const child = this.spawn(args, 'pipe')
    const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`lode ${args.join(' ')} ended with ${code}: ${error}`)
    return out
  }

  /** A person's talk, which Lodeline has not begun. @returns its id */
  async talk(prompt: string): Promise<string> {
    const cli = Bun.spawn([join(this.root, 'bin/made-up'), 'talk'], {
      cwd: this.project,
      env: this.environment(),
      stdin: Buffer.from(prompt),
      stdout: 'pipe',
    })
    return (await cli.stdout.text()).split(' ')[1] ?? ''
  }

  talkFile = (id: string): string => join(this.cliRoot, 'talks', `${id}.talk`)

  /** Makes a task and waits until nothing more will happen to it. */
  async done(input: Inputs['tasks']['create']): Promise<Task> {
    const { task } = await this.client.tasks.create(input)
    return await this.ended(task.id)
  }

  async ended(id: Task['id']): Promise<Task> {
    return await until(`the end of ${id}`, async () => {
      const { task } = await this.client.tasks.get(id)
      return (FINAL_TASK_STATUSES as readonly string[]).includes(task.status) ? task : undefined
    })
  }

  async attempts(id: Task['id']): Promise<Attempt[]> {
    const { attempts } = await this.client.tasks.get(id)
    return attempts.sort((a, b) => a.number - b.number)
  }

  private spawn(args: string[]): Bun.Subprocess<'ignore', 'ignore', 'pipe'>
  private spawn(args: string[], out: 'pipe'): Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  private spawn(args: string[], out: 'ignore' | 'pipe' = 'ignore') {
    const { project: cwd } = this
    const words = [process.execPath, '--preload', enter, main, ...args]
    return Bun.spawn(words, { cwd, env: this.environment(), stdin: 'ignore', stdout: out, stderr: 'pipe' })
  }
}

function serverOf(home: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { url: string }).url
  } catch {
    return undefined
  }
}
