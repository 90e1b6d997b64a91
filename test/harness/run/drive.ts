/** A run of the real CLI as a worker drives it: with our arguments, environment, lines and reader, in the world of a `Lab`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunArguments, RunEnd, RunEvent, RunOutcome, RunTalk } from '../../../src/domain/harness/harness-run'
import { claudeCodeRun } from '../../../src/harness/claude-code/run'
import { type Claude, cliPath } from '../../lab/claude'
import { killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'

export interface DriveOptions extends Partial<Omit<RunArguments, 'files'>> {
  cwd?: string
  home?: string
  env?: Record<string, string>
  /** More settings for this run; the tools of the scripts are allowed unless these say otherwise. */
  settings?: Record<string, unknown>
  /** Path of a file of MCP servers. */
  mcpConfig?: string
}

export interface Ended {
  exitCode: number | null
  signal: string | null
  stderr: string
  events: RunEvent[]
  outcome: RunOutcome
}

const TOOLS = ['Bash', 'Agent', 'Task', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TodoWrite']

export class Drive {
  readonly events: RunEvent[] = []
  readonly pid: number
  readonly talk: RunTalk = claudeCodeRun.talk()
  private readonly child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>
  private readonly reading: Promise<void>
  private readonly stderr: Promise<string>
  private readonly isResume: boolean
  private readonly tree = new Set<number>()
  private static readonly running = new Set<Drive>()

  /** Kills what a failed test left running. For `afterEach`, before the lab stops. */
  static async killAll(): Promise<void> {
    for (const drive of [...Drive.running]) await drive.kill()
  }

  constructor(claude: Claude, options: DriveOptions = {}) {
    const settingsPath = join(claude.root, `settings-${crypto.randomUUID()}.json`)
    writeFileSync(settingsPath, JSON.stringify({ permissions: { allow: TOOLS }, ...options.settings }))
    const conversation = options.conversation ?? { kind: 'new', sessionId: crypto.randomUUID() }
    const { cwd, home, env, settings, mcpConfig, ...run } = options
    if (home !== undefined) mkdirSync(home, { recursive: true })
    this.isResume = conversation.kind !== 'new'
    this.child = Bun.spawn(
      [
        cliPath(claude.version),
        ...claudeCodeRun.runArguments({
          model: null,
          permissionMode: null,
          maxTurns: null,
          maxCostUsd: null,
          settingSources: '',
          asksPermission: false,
          isBoxed: false,
          ...run,
          conversation,
          files: { 'settings.json': settingsPath, ...(mcpConfig !== undefined && { 'mcp.json': mcpConfig }) },
        }),
      ],
      {
        cwd: cwd ?? claude.project,
        env: claudeCodeRun.runEnvironment(
          { ...claude.environment(env), ...(home === undefined ? {} : { HOME: home }) },
          {},
        ),
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    this.pid = this.child.pid
    this.reading = this.readAll()
    this.stderr = this.child.stderr.text()
    Drive.running.add(this)
  }

  /** Sends a message. @returns its uuid */
  say(text: string, urgency: 'now' | 'next' = 'next', uuid: string = crypto.randomUUID()): string {
    this.write(this.talk.say(text, uuid, urgency))
    return uuid
  }

  write(line: string): void {
    this.child.stdin.write(line)
    void this.child.stdin.flush()
  }

  /** Waits for an event that was not there `after` events ago. */
  async event<K extends RunEvent['kind']>(
    kind: K,
    is: (event: RunEvent & { kind: K }) => boolean = () => true,
    after = 0,
  ): Promise<RunEvent & { kind: K }> {
    const find = () =>
      this.events
        .slice(after)
        .find((event): event is RunEvent & { kind: K } => event.kind === kind && is(event as never))
    return until(`${kind} in ${JSON.stringify(this.events).slice(-2_000)}`, find)
  }

  /** Waits until it is idle with nothing in the background: the end of the work. */
  async idle(): Promise<void> {
    await until('the run to be idle', () => this.isAtRest() || this.child.exitCode !== null)
  }

  /** Says a text and waits for the end of its turn. @returns what a worker would make of the process if that was its last turn */
  async turn(text: string): Promise<RunOutcome> {
    const before = this.events.length
    this.say(text)
    const isAtRest = (): boolean => this.events.slice(before).some(({ kind }) => kind === 'result') && this.isAtRest()
    await until(`the end of ${text}`, () => isAtRest() || this.child.exitCode !== null)
    if (this.child.exitCode !== null) return (await this.end()).outcome
    const events = this.events.slice(before)
    const { isError } = events.findLast((event) => event.kind === 'result')?.result ?? {}
    return this.outcome(events, { exitCode: isError ? 1 : 0, signal: null, stderr: '' })
  }

  /** Closes the input and waits for the end. */
  async end(): Promise<Ended> {
    await this.child.stdin.end()
    const exitCode = await this.child.exited
    Drive.running.delete(this)
    await this.reading
    const stderr = await this.stderr
    const signal = this.child.signalCode === null ? null : String(this.child.signalCode)
    const end = { exitCode: signal === null ? exitCode : null, signal, stderr }
    return { ...end, events: this.events, outcome: this.outcome(this.events, end) }
  }

  /** Signals the CLI alone and waits for its end; then kills what it left behind. */
  async signal(name: 'SIGTERM' | 'SIGKILL'): Promise<Ended> {
    for (const pid of processTree(this.pid)) this.tree.add(pid)
    process.kill(this.pid, name)
    await this.child.exited
    return this.kill()
  }

  /** Kills it and all that it started. */
  async kill(): Promise<Ended> {
    for (const pid of processTree(this.pid)) this.tree.add(pid)
    killAll([...this.tree])
    return this.end()
  }

  private outcome(events: readonly RunEvent[], end: Pick<RunEnd, 'exitCode' | 'signal' | 'stderr'>): RunOutcome {
    const result = events.findLast((event) => event.kind === 'result')?.result ?? null
    const apiErrors = events.flatMap((event) => (event.kind === 'api_error' ? [event.text] : []))
    return claudeCodeRun.outcome({ ...end, result, apiErrors, isResume: this.isResume, now: Date.now() })
  }

  private isAtRest(): boolean {
    const state = this.events.findLast((event) => event.kind === 'state')
    const background = this.events.findLast((event) => event.kind === 'background')
    const isQuiet = !background || background.agents.length + background.shells.length === 0
    return state?.state === 'idle' && isQuiet
  }

  private async readAll(): Promise<void> {
    let rest = Buffer.alloc(0)
    for await (const chunk of this.child.stdout) {
      rest = Buffer.concat([rest, chunk])
      for (let newline = rest.indexOf(10); newline !== -1; newline = rest.indexOf(10)) {
        this.events.push(...this.talk.read(rest.subarray(0, newline)))
        rest = rest.subarray(newline + 1)
      }
    }
  }
}

/** One message to a run of its own, from its start to its end. */
export async function drive(claude: Claude, text: string, options: DriveOptions = {}): Promise<Ended> {
  const run = new Drive(claude, options)
  try {
    run.say(text)
    await run.idle()
    return await run.end()
  } catch (error) {
    await run.kill()
    throw error
  }
}
