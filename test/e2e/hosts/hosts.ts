/**
 * Machines that can't see each other's processes, on one kernel: each is a pid namespace with folders of its own. What runs there is a
 * small stand-in for the agent's CLI that reports, line by line in one file, that it acts. So the order of these lines shows what ran
 * beside what, and not anything of ours.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '../../../src/api/client/client'
import { httpTransport } from '../../../src/api/client/http-transport'
import type { Attempt, Task } from '../../../src/domain/task/task'
import { declared } from '../../api/answers/declared-answers'
import { freePort } from '../../lab/free-port'
import { Lab } from '../../lab/lab'
import { isAlive, killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'
import { LODE } from '../../lode-command'
import { type Backend, startProxy, type TestProxy } from './proxy'

/** Its own pids, seen by nobody beside it; what it starts ends with it. Needs no rights. */
const NAMESPACE = ['unshare', '--user', '--map-root-user', '--pid', '--mount-proc', '--fork', '--kill-child', '--']

/** Where servers listen, and where a proxy stands in for them. */
const SERVER = '127.0.0.2'
export const WAY = '127.0.0.1'

export interface HostsOptions {
  database: 'sqlite' | 'postgres'
  /** `null` = the default. */
  leaseSeconds: number | null
}

/** A `lode` process that stays. `pid` is its own as this machine sees it, or that of what leads its namespace. */
export interface Program {
  readonly pid: number
  said(): string
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void
  /** Kills it with all below it, and waits until that is gone. */
  kill(): Promise<void>
}

export interface ServerSeat {
  /** Under which its folder is known. */
  name: string
  port: number
  /** Instead of the world's database: the way to it. */
  databaseUrl?: string
}

export class Hosts {
  readonly root: string
  readonly #lab: Lab
  readonly #options: HostsOptions
  readonly #databaseUrl: string | undefined
  readonly #token = randomBytes(32).toString('hex')
  #client: Client | undefined

  private constructor(options: HostsOptions, lab: Lab, databaseUrl: string | undefined) {
    this.#lab = lab
    this.root = lab.root
    this.#options = options
    this.#databaseUrl = databaseUrl
    mkdirSync(join(this.root, 'work'))
    writeFileSync(this.#cli, standIn(this.beats, this.#end), { mode: 0o755 })
  }

  static async start(options: HostsOptions): Promise<Hosts> {
    const lab = new Lab()
    return new Hosts(options, lab, await lab.addDatabase(options.database))
  }

  get #cli(): string {
    return join(this.root, 'claude')
  }

  get #end(): string {
    return join(this.root, 'end')
  }

  /** Where the stand-ins write. */
  get beats(): string {
    return join(this.root, 'beats')
  }

  get databaseUrl(): string {
    if (this.#databaseUrl === undefined) throw new Error('it has no address')
    return this.#databaseUrl
  }

  /** Speaks with the server that was started last. */
  get client(): Client {
    if (this.#client === undefined) throw new Error('no server was started')
    return this.#client
  }

  home(name: string): string {
    return join(this.root, name, 'l')
  }

  async server({ name, port, databaseUrl }: ServerSeat): Promise<Program> {
    const { leaseSeconds } = this.#options
    this.#install(name, {
      'agents.claude-code.homes': [join(this.root, name, 'c')],
      'listen.host': SERVER,
      'listen.port': port,
      databaseUrl: databaseUrl ?? this.#databaseUrl,
      ...(leaseSeconds === null ? {} : { 'tasks.leaseSeconds': leaseSeconds }),
    })
    const server = this.#spawn(name, ['serve'], { isApart: false, says: 'Lodeline runs' })
    await server.ready
    const url = `http://${SERVER}:${port}`
    this.#client = createClient(declared(httpTransport({ token: this.#token, origin: url })), { baseUrl: url })
    return server
  }

  /**
   * A worker on a machine of its own; with `isApart: false` on that of the servers. `home`: another's folder. `by`: `WAY` for one that
   * reaches its server by a proxy.
   */
  async worker(
    name: string,
    port: number,
    { isApart = true, home = name, by = SERVER }: { isApart?: boolean; home?: string; by?: string } = {},
  ): Promise<Program> {
    if (home === name) this.#install(name, { 'agents.claude-code.executable': this.#cli, 'worker.sandbox': 'off' })
    const args = ['work', '--server', `http://${by}:${port}`, '--token-file', join(this.root, 'token')]
    const worker = this.#spawn(home, [...args, '--name', name], { isApart, says: `worker ${name}` })
    await worker.ready
    return worker
  }

  /** A way to the server at this port: a server takes no other port in its name, so it is the same at another address. */
  async wayTo(port: number): Promise<TestProxy> {
    return await this.#proxy(port, [{ host: SERVER, port }])
  }

  /** A way to the database, and its address by it. */
  async wayToDatabase(): Promise<{ way: TestProxy; url: string }> {
    const url = new URL(this.databaseUrl)
    const way = await this.#proxy(0, [{ host: url.hostname, port: Number(url.port) }])
    url.port = String(way.port)
    return { way, url: url.href }
  }

  async #proxy(port: number, backends: Backend[]): Promise<TestProxy> {
    const proxy = await startProxy({ port, backends })
    this.#lab.ending('a proxy', () => proxy.close())
    return proxy
  }

  async create(): Promise<Task> {
    const { task } = await this.client.tasks.create({
      task: 'act until you are told to end',
      dir: join(this.root, 'work'),
    })
    return task
  }

  async attempts(id: string): Promise<Attempt[]> {
    return (await this.client.tasks.get(id)).attempts
  }

  /** The worker's own lines of the task's log. */
  async words(id: string): Promise<string[]> {
    const { lines } = await this.client.tasks.log(id, { limit: 1_000 })
    return lines.filter(({ kind }) => kind === 'run').map(({ text }) => text)
  }

  /** The actors in order: the number of each attempt. */
  acts(): number[] {
    if (!existsSync(this.beats)) return []
    return readFileSync(this.beats, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => Number(line.split('.').at(-1)))
  }

  /** Waits until the attempt has acted this often more. */
  async acting(attempt: number, more = 5): Promise<void> {
    const count = () => this.acts().filter((each) => each === attempt).length
    const before = count()
    await until(`attempt ${attempt} to act`, () => count() >= before + more)
  }

  /** Lets what acts come to its end, and waits until the task is completed; gives how many attempts it took. */
  async completed(id: string): Promise<number> {
    writeFileSync(this.#end, '')
    await until(`${id} to be completed`, async () => {
      const { task, attempts } = await this.client.tasks.get(id)
      return task.status === 'completed' && !attempts.some(({ isLive }) => isLive)
    })
    return (await this.attempts(id)).length
  }

  async stop(): Promise<void> {
    await this.#lab.stop()
  }

  #install(name: string, settings: Record<string, unknown>): void {
    const home = this.home(name)
    mkdirSync(home, { recursive: true, mode: 0o700 })
    for (const path of [join(home, 'token'), join(this.root, 'token')])
      writeFileSync(path, `${this.#token}\n`, { mode: 0o600 })
    // JSON is YAML too.
    writeFileSync(
      join(home, 'config.yaml'),
      JSON.stringify({
        'agents.claude-code.executable': this.#cli,
        'worker.sandbox': 'off',
        'collector.enabled': false,
        ...settings,
      }),
    )
  }

  #spawn(
    name: string,
    args: string[],
    { isApart, says }: { isApart: boolean; says: string },
  ): Program & { ready: Promise<unknown> } {
    const child = Bun.spawn([...(isApart ? NAMESPACE : []), ...LODE, ...args], {
      cwd: join(this.root, 'work'),
      env: { PATH: process.env.PATH ?? '', HOME: join(this.root, name), LODELINE_HOME: this.home(name) },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    let said = ''
    const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
      for await (const bytes of stream) said += new TextDecoder().decode(bytes)
    }
    void read(child.stdout)
    void read(child.stderr)
    // To stop a namespace, its first process is stopped: the one that made it only waits.
    const own = () => (isApart ? (processTree(child.pid)[1] ?? child.pid) : child.pid)
    const program = {
      pid: child.pid,
      said: () => said,
      signal: (signal: NodeJS.Signals) => void process.kill(own(), signal),
      kill: async () => {
        const tree = processTree(child.pid)
        killAll(tree)
        await child.exited
        await until(`${name} to be gone`, () => !tree.some(isAlive))
      },
      ready: until(`lode ${args[0]} of ${name}`, () => {
        if (child.exitCode !== null) throw new Error(`lode ${args[0]} of ${name} ended: ${said}`)
        return said.includes(says)
      }),
    }
    this.#lab.ending(`lode ${args[0]} of ${name}`, program.kill)
    return program
  }
}

export const newPort = freePort

/** Acts itself and by a tool that has a session of its own, each 20 ms, until the file `end` is there. */
function standIn(beats: string, end: string): string {
  const beat = `while [ ! -e '${end}' ]; do echo "$LODELINE_ATTEMPT_ID" >> '${beats}'; sleep 0.02; done`
  return `#!/bin/sh
case "$*" in --version) echo '2.1.328 (Claude Code)'; exit 0;; esac
session=; own=
while [ $# -gt 0 ]; do
  case "$1" in --session-id) own=$2;; --resume) session=$2;; esac
  shift
done
session=\${own:-$session}
read -r prompt
printf '{"type":"system","subtype":"init","session_id":"%s"}\\n' "$session"
setsid sh -c ${JSON.stringify(beat).replaceAll('$', '\\$')} &
${beat}
printf '{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1,"session_id":"%s"}\\n' "$session"
wait
while read -r rest; do :; done
`
}
