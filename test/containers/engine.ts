/**
 * Runs the services of `deploy/compose.yaml` as a container engine would, as far as namespaces of the kernel go: a root made of this
 * system's /usr and the executable alone, which can't be written; a first process of its own; a user without rights; no network but a
 * loopback that the containers share; no /etc, /home or /proc of this machine.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { killAll, processTree } from '../lab/processes'
import { type RunningCommand, startCommand } from '../lab/running-command'
import { until } from '../lab/until'

export const DEPLOY = resolve(import.meta.dir, '../../deploy')

type Mounted = string | { source: string; target?: string }

export interface Service {
  command: string[]
  user: string
  read_only: boolean
  cap_drop: string[]
  tmpfs: string[]
  volumes?: string[]
  environment: Record<string, string>
  secrets: Mounted[]
  configs?: Mounted[]
  stop_grace_period: string
  healthcheck?: { test: string[] }
}

export const compose = Bun.YAML.parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8')) as {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  configs: Record<string, { file: string }>
  volumes: Record<string, object>
}

export const serviceOf = (name: string): Service => {
  const service = compose.services[name]
  if (service === undefined) throw new Error(`compose.yaml has no service ${name}`)
  return service
}

/** Seconds of a text such as `30s`. */
export const secondsOf = (span: string): number => Number(/^(\d+)s$/.exec(span)?.[1])

export interface EngineOptions {
  /** An empty folder. */
  folder: string
  /** The executable that images hold. */
  lode: string
  /** Volumes by name: a folder, or a list of arguments for bubblewrap. */
  volumes: Record<string, string | string[]>
  /** More programs, by their paths in containers. */
  programs?: Record<string, string>
}

export interface Container extends RunningCommand {
  /** Its first process, as seen from here. */
  readonly first: number
  over(): boolean
  /** Runs a command beside the first process. */
  exec(words: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>
}

export class Engine {
  readonly #options: EngineOptions
  readonly #net: RunningCommand
  readonly #started: RunningCommand[] = []
  #holder = 0

  private constructor(options: EngineOptions) {
    this.#options = options
    const words = [
      '--unshare-user',
      '--uid',
      '0',
      '--gid',
      '0',
      '--unshare-net',
      '--die-with-parent',
      '--dev-bind',
      '/',
      '/',
    ]
    this.#net = startCommand(['bwrap', ...words, '--', 'sleep', 'infinity'], { cwd: '/', env: PATH })
  }

  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options)
    const etc = join(options.folder, 'etc')
    mkdirSync(etc, { recursive: true })
    writeFileSync(join(etc, 'passwd'), 'root:x:0:0::/root:/bin/sh\nlode:x:10001:10001::/home/lode:/bin/sh\n')
    writeFileSync(join(etc, 'group'), 'root:x:0:\nlode:x:10001:\n')
    writeFileSync(join(etc, 'hosts'), '127.0.0.1 localhost server\n')
    writeFileSync(join(etc, 'nsswitch.conf'), 'hosts: files\n')
    engine.#holder = await until('the network', () => {
      const child = processTree(engine.#net.pid).at(-1)
      return child !== undefined && readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'sleep' ? child : undefined
    })
    return engine
  }

  /** Starts a command on this machine's files, in the network of the containers. */
  beside(words: string[], env: Record<string, string> = {}): RunningCommand {
    const running = startCommand(this.#inNetwork(words), { cwd: '/', env: { PATH: process.env.PATH ?? '', ...env } })
    this.#started.push(running)
    return running
  }

  #inNetwork(words: string[]): string[] {
    return ['nsenter', '--target', String(this.#holder), '--user', '--net', '--preserve-credentials', '--', ...words]
  }

  /** Starts a service. Its file system is thrown away at its end. @param change  of the service, and more arguments of the box */
  run(
    name: string,
    change: { command?: string[]; environment?: Record<string, string>; box?: string[] } = {},
  ): Container {
    const service = serviceOf(name)
    const environment = { ...service.environment, ...change.environment }
    const words = [
      ...this.#box(name, service),
      ...variables(environment),
      ...(change.box ?? []),
      '--',
      '/usr/local/bin/lode',
    ]
    const running = startCommand(this.#inNetwork([...words, ...(change.command ?? service.command)]), {
      cwd: '/',
      env: PATH,
    })
    this.#started.push(running)
    let isOver = false
    void running.ended.then(() => {
      isOver = true
    })
    return {
      ...running,
      over: () => isOver,
      get first() {
        const [, child = 0] = processTree(running.pid)
        return child
      },
      // The pid of the box is that of bubblewrap, which is outside and passes no signals on.
      signal(signal) {
        process.kill(this.first, signal)
      },
      exec(command) {
        const spaces = ['--user', '--net', '--pid', '--mount', '--ipc', '--preserve-credentials', '--wdns=/']
        return startCommand(['nsenter', '--target', String(this.first), ...spaces, '--', ...command], {
          cwd: '/',
          env: { ...PATH, ...environment },
        }).exited
      },
    }
  }

  /** Ends what still runs. */
  async stop(): Promise<void> {
    for (const running of [...this.#started, this.#net]) {
      this.kill(running)
      await running.ended
    }
  }

  /** With all that is in it. */
  kill(running: RunningCommand): void {
    killAll(processTree(running.pid))
  }

  /** Runs a script in a box whose /usr/local can be written, as the image of a dev container is made. */
  script(text: string, environment: Record<string, string>, box: string[]): RunningCommand {
    const words = [...this.#root('dev', '0', '0'), ...variables(environment), ...box, '--', 'sh', '-ec', text]
    const running = startCommand(this.#inNetwork(words), { cwd: '/', env: PATH })
    this.#started.push(running)
    return running
  }

  /** What every box has. */
  #root(name: string, uid: string, gid: string): string[] {
    const words = [
      'bwrap',
      '--unshare-user',
      '--uid',
      uid,
      '--gid',
      gid,
      '--unshare-pid',
      '--as-pid-1',
      '--unshare-ipc',
    ]
    words.push('--unshare-uts', '--hostname', name, '--die-with-parent', '--new-session', '--clearenv')
    words.push(
      '--ro-bind',
      '/usr',
      '/usr',
      '--tmpfs',
      '/usr/local',
      '--ro-bind',
      this.#options.lode,
      '/usr/local/bin/lode',
    )
    for (const folder of ['bin', 'lib', 'lib64']) words.push('--symlink', `usr/${folder}`, `/${folder}`)
    words.push('--ro-bind', join(this.#options.folder, 'etc'), '/etc', '--proc', '/proc', '--dev', '/dev')
    for (const [at, program] of Object.entries(this.#options.programs ?? {})) words.push('--ro-bind', program, at)
    return words
  }

  #box(name: string, service: Service): string[] {
    const [uid = '', gid = ''] = service.user.split(':')
    const words = this.#root(name, uid, gid)
    for (const line of service.tmpfs) {
      const [path = '', options = ''] = line.split(':')
      words.push('--perms', /mode=(\d+)/.exec(options)?.[1] ?? '1777', '--tmpfs', path)
    }
    for (const line of service.volumes ?? []) words.push(...this.#volume(line))
    for (const one of service.secrets) words.push(...this.#file(one, compose.secrets))
    for (const one of service.configs ?? []) words.push(...this.#file(one, compose.configs))
    for (const right of service.cap_drop) words.push('--cap-drop', right)
    if (service.read_only) words.push('--remount-ro', '/usr/local', '--remount-ro', '/')
    return words
  }

  #volume(line: string): string[] {
    const [name = '', path = ''] = line.split(':')
    const volume = this.#options.volumes[name]
    if (volume === undefined) throw new Error(`there is no volume ${name}`)
    return typeof volume === 'string' ? ['--bind', volume, path] : volume
  }

  #file(one: Mounted, files: Record<string, { file: string }>): string[] {
    const { source, target = `/run/secrets/${source}` } = typeof one === 'string' ? { source: one } : one
    return ['--ro-bind', resolve(this.#options.folder, files[source]?.file ?? ''), target]
  }
}

const PATH = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' }

/** `${NAME:-}` of the compose file is empty here. */
const variables = (environment: Record<string, string>): string[] =>
  Object.entries({ ...PATH, HOME: '/home/lode', ...environment }).flatMap(([name, value]) => [
    '--setenv',
    name,
    value.replace(/\$\{\w+:-\}/g, ''),
  ])
