/** Lodeline and the real agent CLI in one world: `lode` as a person types it in a project, with the scripted model of `tasks.json`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeCli } from '../../src/util/claude-cli'
import { isAlive, killAll, processTree } from '../lab/processes'
import { until } from '../lab/until'
import { LODE } from '../lode-command'
import type { CommandResult } from './lodeline'
import { type CliVersion, Lab } from './real-cli'

export interface TaskLabOptions {
  version: CliVersion
  /** More settings. */
  settings?: Record<string, unknown>
  databaseUrl?: string | undefined
  /** What the model answers instead of `tasks.json`; see `Lab`. */
  script?: string
}

/** A command at work. */
export interface RunningCommand {
  readonly pid: number
  /** What it said so far. */
  stdout(): string
  stderr(): string
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  readonly exited: Promise<CommandResult>
}

/** A command with a terminal. */
export interface Terminal {
  /** All that was shown so far, without blanks. */
  text(): string
  type(keys: string): void
  readonly exited: Promise<number>
}

export class TaskLab {
  readonly lab: Lab
  /** Lodeline's folder. */
  readonly home: string
  private readonly started = new Set<number>()

  private constructor(lab: Lab, home: string) {
    this.lab = lab
    this.home = home
  }

  static async start({ version, settings = {}, databaseUrl, script = 'tasks' }: TaskLabOptions): Promise<TaskLab> {
    const lab = await Lab.start({ version, script })
    const home = join(lab.root, 'l')
    mkdirSync(home)
    const config = {
      'claude.roots': [lab.claudeRoot],
      'listen.port': 0,
      'worker.executable': claudeCli(version),
      'worker.maxPermissionMode': 'bypassPermissions',
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...settings,
    }
    // JSON is YAML too.
    writeFileSync(join(home, 'config.yaml'), JSON.stringify(config))
    return new TaskLab(lab, home)
  }

  /** Starts a command, in the project unless told, and comes back at once. */
  spawn(args: string[], env: Record<string, string> = {}, cwd = this.lab.project): RunningCommand {
    const child = Bun.spawn([...LODE, ...args], {
      cwd,
      env: this.lab.environment({ LODELINE_HOME: this.home, ...env }),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const { pid } = child
    this.started.add(pid)
    const out = collect(child.stdout)
    const err = collect(child.stderr)
    const exited = Promise.all([out.done, err.done, child.exited]).then(([, , exitCode]) => ({
      exitCode,
      stdout: out.text(),
      stderr: err.text(),
    }))
    return { pid, stdout: out.text, stderr: err.text, exited, signal: (name) => process.kill(pid, name) }
  }

  /** Starts a command at a terminal of its own, where a person types. */
  terminal(args: string[]): Terminal {
    let text = ''
    const decoder = new TextDecoder()
    const child = Bun.spawn([...LODE, ...args], {
      cwd: this.lab.project,
      env: this.lab.environment({ LODELINE_HOME: this.home, TERM: 'xterm-256color' }),
      terminal: {
        cols: 100,
        rows: 30,
        data: (_terminal, bytes) => {
          text += decoder.decode(bytes, { stream: true })
        },
      },
    })
    this.started.add(child.pid)
    return {
      // Words are set apart by moves of the cursor as often as by spaces.
      text: () => Bun.stripANSI(text).replace(/\s/g, ''),
      type: (keys) => void child.terminal?.write(keys),
      exited: child.exited,
    }
  }

  /** Lets the CLI greet nobody: it was used before, here. */
  skipWelcome(): void {
    const key = this.lab.environment().ANTHROPIC_API_KEY?.slice(-20)
    const settings = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [key], rejected: [] },
      projects: { [this.lab.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }
    writeFileSync(join(this.lab.home, '.claude.json'), JSON.stringify(settings))
  }

  /** Runs a command to its end. */
  lode(...args: string[]): Promise<CommandResult> {
    return this.spawn(args).exited
  }

  /** Runs a command and gives its JSON answer. @throws Error when it fails */
  async json<T>(...args: string[]): Promise<T> {
    const run = await this.lode(...args, '--json')
    if (run.exitCode !== 0) throw new Error(`lode ${args.join(' ')} ended with ${run.exitCode}: ${run.stderr}`)
    return JSON.parse(run.stdout) as T
  }

  /** Starts `lode up` (or another command that stays) and waits for what it says when it is there. */
  async up(args: string[] = ['up'], says = 'Lodeline runs', env: Record<string, string> = {}): Promise<RunningCommand> {
    const running = this.spawn(args, env)
    await until(`lode ${args[0]}`, () => {
      if (!isAlive(running.pid)) throw new Error(`lode ${args.join(' ')} ended: ${running.stderr()}`)
      return running.stdout().includes(says)
    })
    return running
  }

  /** Ends what still runs, waits until it is gone, removes all files. */
  async stop(): Promise<void> {
    const left = [...this.started].filter(isAlive).flatMap(processTree)
    killAll(left)
    await until('the commands to be gone', () => !left.some(isAlive))
    await this.lab.stop()
  }
}

function collect(stream: ReadableStream<Uint8Array>) {
  let text = ''
  const done = (async () => {
    const decoder = new TextDecoder()
    for await (const part of stream) text += decoder.decode(part, { stream: true })
  })()
  return { text: () => text, done }
}
