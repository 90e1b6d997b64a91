/**
 * The real Claude Code CLI against a scripted model server, with a HOME, a TMPDIR and a project of its own, nothing of this process's
 * environment but PATH, and no address but the loopback.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLAUDE_CLI_VERSIONS, type ClaudeCliVersion, claudeCli } from '../../src/util/claude-cli'
import { EVERY_CLI_VARIABLE, ONE_CLI_VARIABLE } from './cli-variables'
import type { Machine } from './machine'
import { isAlive, killAll, processTree } from './processes'
import { QUICK_START } from './quick-start'
import { type ModelRequest, RequestLog } from './request-log'
import { until } from './until'

export type CliVersion = ClaudeCliVersion
const [only, folderOfOnly] = process.env[ONE_CLI_VARIABLE]?.split('=') ?? []
/** The releases that tests run with: those that are pinned, newest first, or the one that the test run was given. */
export const CLI_VERSIONS: readonly CliVersion[] = only === undefined ? CLAUDE_CLI_VERSIONS : [only as CliVersion]
export const [NEWEST_CLI = CLAUDE_CLI_VERSIONS[0]] = CLI_VERSIONS
/** The newest and the oldest, for what releases do in ways of their own; all with the test run's `--every-cli`. */
export const OUTER_CLIS: readonly CliVersion[] =
  process.env[EVERY_CLI_VARIABLE] === '1'
    ? CLI_VERSIONS
    : CLI_VERSIONS.filter((_, at) => at === 0 || at === CLI_VERSIONS.length - 1)
/** As rows: for tests that take turns, see `in-turn.ts`. */
export const EACH_OUTER_CLI: readonly [CliVersion][] = OUTER_CLIS.map((version): [CliVersion] => [version])
/** All as rows, for the same. */
export const EACH_CLI: readonly [CliVersion][] = CLI_VERSIONS.map((version): [CliVersion] => [version])

/** The program of a release; where the test run was given one, always that. */
export const cliPath = (version: CliVersion): string =>
  claudeCli((only as CliVersion | undefined) ?? version, folderOfOnly)

/** The model server's log, below the root. */
const REQUESTS = 'requests.jsonl'
/** Its first lines describe the language of scripts. */
const MODEL_SERVER = join(import.meta.dir, 'model-server.mjs')
const SCENARIOS = join(import.meta.dir, 'scenarios/claude-code')

export interface ClaudeOptions {
  version: CliVersion
  /** What the model answers: a file of `test/lab/scenarios/claude-code` without `.json`, the whole path of another one, or its rules. */
  script: string | readonly object[]
  /** More environment for every run of the CLI. */
  env?: Record<string, string> | undefined
  /** Hooks and other settings, given to every run by `--settings`. */
  settings?: Record<string, unknown>
  /** Where on the loopback the model answers; 127.0.0.1 by default. */
  host?: string
  /** Where the CLI runs; here by default. */
  machine?: Machine
}

export interface RunOptions {
  prompt: string
  /** Id for a new session, or with `fork` for the fork. */
  sessionId?: string
  resume?: string
  /** With `resume`: a new session that begins with a copy of the old one. */
  fork?: boolean
  env?: Record<string, string> | undefined
  args?: string[]
}

export interface RunResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** A CLI at work. */
export interface Running {
  readonly pid: number
  readonly exited: Promise<RunResult>
  /** The CLI's own line format on stdin; only for runs started by `Claude.steer`. */
  send(line: Record<string, unknown>): void
  /** Closes stdin. */
  end(): void
  /** SIGKILLs the CLI alone, as a crash would: its tools are orphaned until `Claude.stop`. */
  crash(): Promise<void>
}

export class Claude {
  readonly root: string
  readonly home: string
  readonly project: string
  readonly version: CliVersion
  private readonly options: ClaudeOptions
  private readonly server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  private readonly port: number
  private readonly started = new Set<number>()
  private readonly log: RequestLog

  private constructor(root: string, options: ClaudeOptions, server: Claude['server'], port: number) {
    this.root = root
    this.home = join(root, 'h')
    this.project = join(root, 'p')
    this.version = options.version
    this.options = options
    this.server = server
    this.port = port
    this.log = new RequestLog(join(root, REQUESTS))
  }

  /** @param root  an empty folder, which it leaves behind */
  static async start(root: string, options: ClaudeOptions): Promise<Claude> {
    for (const folder of ['h', 'p', 't']) mkdirSync(join(root, folder))
    const git = Bun.spawnSync(['git', 'init', '-q', '-b', 'main', join(root, 'p')])
    if (git.exitCode !== 0) throw new Error(`git init: ${git.stderr.toString()}`)
    const script = scriptFile(root, options.script)
    const log = join(root, REQUESTS)
    const at = options.host === undefined ? [] : ['--host', options.host]
    const server = Bun.spawn(['node', MODEL_SERVER, '--port', '0', '--script', script, '--log', log, ...at], {
      env: { PATH: process.env.PATH ?? '' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    return new Claude(root, options, server, await readPort(server.stdout))
  }

  /** `CLAUDE_CONFIG_DIR`'s default for this HOME: the root that the collector watches. */
  get claudeRoot(): string {
    return join(this.home, '.claude')
  }

  /** The folder in which this project's transcripts are. */
  get transcripts(): string {
    return join(this.claudeRoot, 'projects', this.project.replace(/[^a-zA-Z0-9]/g, '-'))
  }

  transcript(session: string): string {
    return join(this.transcripts, `${session}.jsonl`)
  }

  /** What the model was sent so far, in order: title requests and the like included. */
  requests(): ModelRequest[] {
    return this.log.requests()
  }

  /** What the model was sent last in the main conversation of a session, as text. */
  lastShown(session: string): string {
    const last = this.requests().findLast((request) => request.who === 'main' && request.session === session)
    return JSON.stringify(last?.body.messages ?? null)
  }

  /** Lets the CLI greet nobody: it was used before, here. */
  skipWelcome(): void {
    const key = this.environment().ANTHROPIC_API_KEY?.slice(-20)
    const settings = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [key], rejected: [] },
      projects: { [this.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }
    writeFileSync(join(this.home, '.claude.json'), JSON.stringify(settings))
  }

  /** Runs one prompt to its end. */
  run(options: RunOptions): Promise<RunResult> {
    return this.launch(options).exited
  }

  /** Starts one prompt and comes back at once. */
  launch(options: RunOptions): Running {
    return this.spawn(['-p', options.prompt], options, false)
  }

  /** Starts a process that takes user lines on stdin until `end`. */
  steer(options: Omit<RunOptions, 'prompt'>): Running {
    return this.spawn(['-p', '--input-format', 'stream-json'], options, true)
  }

  /** The environment of a CLI process, for what else a test starts in the same world. */
  environment(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      TMPDIR: join(this.root, 't'),
      CLAUDE_CODE_TMPDIR: join(this.root, 't'),
      ANTHROPIC_BASE_URL: `http://${this.options.host ?? '127.0.0.1'}:${this.port}`,
      ANTHROPIC_API_KEY: 'no-key-needed',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      ...QUICK_START,
      // As root, the CLI runs without asking only in a box, which this variable claims.
      ...(process.getuid?.() === 0 || this.options.machine !== undefined ? { IS_SANDBOX: '1' } : {}),
      ...this.options.env,
      ...more,
    }
  }

  /** Kills what still runs and waits until it is gone. */
  async stop(): Promise<void> {
    for (const pid of [...this.started]) for (const below of processTree(pid)) this.started.add(below)
    this.server.kill('SIGKILL')
    await this.server.exited
    killAll([...this.started])
    await until('the processes of the CLI to be gone', () => ![...this.started].some(isAlive))
  }

  private spawn(args: string[], options: Omit<RunOptions, 'prompt'>, hasInput: boolean): Running {
    const words = [
      cliPath(this.version),
      ...args,
      '--output-format',
      'stream-json',
      '--verbose',
      '--system-prompt',
      'You are a test subject.',
      ...(options.resume ? ['--resume', options.resume] : []),
      ...(options.fork ? ['--fork-session'] : []),
      ...(options.sessionId ? ['--session-id', options.sessionId] : []),
      ...(this.options.settings ? ['--settings', JSON.stringify(this.options.settings)] : []),
      ...(options.args ?? []),
      // Last: this option takes every word that follows.
      '--allowedTools',
      'Bash,Agent,Task,TaskCreate,TaskUpdate,TaskList,TodoWrite',
    ]
    const child = Bun.spawn(this.options.machine?.command(words, this.project) ?? words, {
      cwd: this.project,
      env: this.environment(options.env),
      stdin: hasInput ? 'pipe' : 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const { pid } = child
    this.started.add(pid)
    const exited = Promise.all([child.stdout.text(), child.stderr.text(), child.exited]).then(
      ([stdout, stderr, exitCode]) => {
        this.started.delete(pid)
        return { stdout, stderr, exitCode }
      },
    )
    const input = () => {
      if (!child.stdin || typeof child.stdin === 'number') throw new Error('this run has no input')
      return child.stdin
    }
    return {
      pid,
      exited,
      send: (line) => {
        input().write(`${JSON.stringify(line)}\n`)
        void input().flush()
      },
      end: () => void input().end(),
      crash: async () => {
        const tree = processTree(pid)
        for (const below of tree) if (below !== pid) this.started.add(below)
        process.kill(pid, 'SIGKILL')
        await child.exited
      },
    }
  }
}

function scriptFile(root: string, script: ClaudeOptions['script']): string {
  if (typeof script === 'string') return script.startsWith('/') ? script : join(SCENARIOS, `${script}.json`)
  const path = join(root, 'script.json')
  writeFileSync(path, JSON.stringify(script))
  return path
}

async function readPort(stdout: ReadableStream<Uint8Array>): Promise<number> {
  let text = ''
  const reader = stdout.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the model server ended before it named its port: ${text}`)
    text += new TextDecoder().decode(value)
    if (!text.includes('\n')) continue
    reader.releaseLock()
    const line: unknown = JSON.parse(text.slice(0, text.indexOf('\n')))
    if (typeof line === 'object' && line !== null && 'port' in line && typeof line.port === 'number') return line.port
    throw new Error(`the model server said ${text}`)
  }
}
