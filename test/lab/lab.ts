/**
 * Builds the world of a test. A test asks for what it needs, and everything ends with the lab:
 *
 *     await using lab = await openLab({ database: 'postgres', claude: { version, script: 'tasks' }, lode: {}, server: true })
 *     await lab.lode.json('task', 'create', 'say hello')
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DatabaseKind, make } from '../store-contract/databases'
import { Claude, type ClaudeOptions, cliPath } from './claude'
import { Endings } from './endings'
import { type HereOptions, InProcess } from './in-process'
import { Lode, type LodeOptions } from './lode'
import { Machine } from './machine'
import { PASS_ENVIRONMENT } from './quick-start'
import { TaskWords } from './task-words'
import { Workers } from './workers'

/** What a test may ask for. */
export interface Asked {
  /** A database without rows for `lode`. Without it `lode` has one of SQLite in its folder. */
  database?: DatabaseKind
  /** The real Claude Code with a scripted model, in a HOME and a project of its own. */
  claude?: ClaudeOptions
  /** Lodeline as a person runs it. With `claude` it follows that CLI's folder, runs tasks by it, and works in its project. */
  lode?: LodeOptions
  /** Home, projects and all that is in the lab stand below a folder whose name no shell, regular expression or address takes as it is. */
  isOddlyNamed?: boolean
  /** Whether `lode up` runs; needs `lode`. */
  server?: boolean
  /** A server and workers in the test's own process, in the place of `lode`; needs `claude`. */
  here?: HereOptions
}

interface Given {
  claude: Claude
  lode: Lode
  /** Starts workers by `lode work`. */
  workers: Workers
  /** Short words for what tests do with tasks. */
  tasks: TaskWords
  here: InProcess
}

/** What is there when something was asked for. */
interface Gives {
  claude: 'claude'
  lode: 'lode' | 'workers' | 'tasks'
  here: 'here' | 'tasks'
}

/** A lab that has what was asked for by these names. */
export type LabWith<Names extends PropertyKey> = Lab & Pick<Given, Gives[Names & keyof Gives]>

const ODD_NAME = `o' ü한"$x %2F&.(`

export class Lab implements AsyncDisposable {
  /** Short, since the CLI makes sockets below its TMPDIR. */
  readonly root: string
  readonly #endings = new Endings()
  #count = 0

  constructor(mark = '') {
    this.root = realpathSync(mkdtempSync(`/tmp/ld-${mark}`))
    this.#endings.add('the folder', () => rmSync(this.root, { recursive: true, force: true }))
  }

  /** Makes a folder of the lab. */
  folder(name: string): string {
    const path = join(this.root, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  /** Adds something that ends with the lab, before everything that was added earlier. */
  ending(what: string, end: () => unknown): void {
    this.#endings.add(what, end)
  }

  /** A database without rows. @returns its address; `undefined` for SQLite, which is a file in the folder of its user */
  async addDatabase(kind: DatabaseKind): Promise<string | undefined> {
    if (kind === 'sqlite') return undefined
    const { place, remove } = await make(kind)
    this.ending('the database', remove)
    return place.url
  }

  /** One more CLI with a model, a HOME and a project of its own. The first one has the lab's root. */
  async addClaude(options: ClaudeOptions): Promise<Claude> {
    this.#count += 1
    const claude = await Claude.start(this.#count === 1 ? this.root : this.folder(`c${this.#count}`), options)
    this.ending(`Claude Code ${options.version}`, () => claude.stop())
    return claude
  }

  /** One more installation, in the folder of this name. */
  addLode(name: string, options: LodeOptions = {}): Lode {
    const lode = new Lode(join(this.root, name), options)
    this.ending(`lode in ${name}`, () => lode.end())
    return lode
  }

  /** A space of pids into which no other process of the test sees. */
  async addMachine(options: { hasNetwork?: boolean } = {}): Promise<Machine> {
    const machine = await Machine.start(options)
    this.ending('the machine', () => machine.stop())
    return machine
  }

  /** Ends everything, the last thing first. @throws AggregateError that names what did not end well */
  async stop(): Promise<void> {
    await this.#endings.run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** Builds a lab. @throws the error of the part that did not start; the parts before it have ended then */
export async function openLab<const Wanted extends Asked>(wanted: Wanted): Promise<LabWith<keyof Wanted>> {
  const lab = new Lab(wanted.isOddlyNamed ? ODD_NAME : '')
  try {
    return Object.assign(lab, await fill(lab, wanted)) as LabWith<keyof Wanted>
  } catch (error) {
    await lab.stop()
    throw error
  }
}

async function fill(
  lab: Lab,
  { database, claude: cli, lode: options, server, here: inProcess }: Asked,
): Promise<object> {
  if (server && options === undefined) throw new Error('a server needs lode')
  if (inProcess !== undefined && cli === undefined) throw new Error('here needs claude')
  const databaseUrl = database === undefined ? undefined : await lab.addDatabase(database)
  const claude = cli === undefined ? undefined : await lab.addClaude(cli)
  if (inProcess !== undefined && claude !== undefined) {
    const here = await InProcess.start(claude, inProcess)
    lab.ending('the server and workers of this process', () => here.stop())
    return { claude, here, tasks: new TaskWords(() => here.client, claude) }
  }
  if (options === undefined) return { claude }
  const lode = lab.addLode('l', { databaseUrl, ...(claude === undefined ? options : withClaude(claude, options)) })
  if (server) await lode.up()
  // As a person would create tasks who trusts this project.
  const own = claude && ({ permissionMode: 'bypassPermissions', dir: claude.project } as const)
  const tasks = new TaskWords(() => lode.client, claude, own)
  return { claude, lode, workers: new Workers(lode, claude), tasks }
}

/** What a person has told an installation that runs tasks by this CLI. */
function withClaude(claude: Claude, options: LodeOptions): LodeOptions {
  return {
    claudeRoots: [claude.claudeRoot],
    cwd: claude.project,
    // A run may be at work, which a server at its end would wait for.
    isKilled: true,
    ...options,
    env: { ...claude.environment(), ...options.env },
    settings: {
      'agents.claude-code.executable': cliPath(claude.version),
      'worker.maxPermissionMode': 'bypassPermissions',
      'worker.passEnvironment': PASS_ENVIRONMENT,
      // The same on every machine; tests of the sandbox ask for it.
      'worker.sandbox': 'off',
      // Commands work in the project, which says where their tasks do.
      'worker.dir': undefined,
      ...options.settings,
    },
  }
}
