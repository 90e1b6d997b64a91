/** One process of a real agent CLI, driven as a worker drives it: by our arguments, environment, files and protocol, without a server. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessRun, RunEnd, RunEvent, RunLaunch, RunOutcome, RunTalk } from '../../src/domain/harness/harness-run'
import { killAll, processTree } from '../lab/processes'
import { until } from '../lab/until'
import { linesOf } from './lines-of'

/** How long a turn may take on a busy machine, in milliseconds: opencode needs seconds to start. */
const TURN_MS = 120_000

/** A CLI with a HOME and a project of its own. */
export interface DrivenCli {
  home: string
  project: string
  /** Its configuration folder. */
  folder: string
  program: string
  /** The worker's environment; the harness decides what a run gets of it. */
  environment: Readonly<Record<string, string>>
  /** What a run gets whatever the harness decides. */
  passed?: Readonly<Record<string, string>>
}

export class AgentProcess implements AsyncDisposable {
  readonly events: RunEvent[] = []
  /** What it asked a person. Every question is answered with yes. */
  readonly asked: (RunEvent & { kind: 'permission' })[] = []
  readonly #run: HarnessRun
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>
  readonly #talk: RunTalk
  readonly #reading: Promise<void>
  readonly #stderr: Promise<string>
  readonly #isResume: boolean
  /** Events of the turns before. */
  #told = 0

  /** @param folder  of the run: an empty one, which it leaves behind */
  constructor(run: HarnessRun, cli: DrivenCli, folder: string, more: Partial<RunLaunch> = {}) {
    this.#run = run
    mkdirSync(folder, { recursive: true })
    // Nothing of a run needs a server: its tools and hooks find none.
    const given = {
      ...{
        lode: ['/bin/false'],
        serverUrl: 'http://127.0.0.1:9',
        token: 'none',
        denied: more.denied ?? [],
        mcpServers: [],
        tools: [],
      },
      ...{ root: cli.folder, cwd: cli.project, userHome: cli.home },
    }
    const files = run.runFiles(given).map(({ name, text }): [string, string] => {
      const path = join(folder, name)
      writeFileSync(path, text, { mode: 0o600 })
      return [name, path]
    })
    const launch: RunLaunch = {
      ...given,
      ...{ model: null, permissionMode: null, maxTurns: null, maxCostUsd: null, settingSources: 'user' },
      ...{ asksPermission: true, isBoxed: false, files: Object.fromEntries(files) },
      conversation: { kind: 'new', sessionId: crypto.randomUUID() },
      ...more,
    }
    this.#isResume = launch.conversation.kind !== 'new'
    const base = { PATH: process.env.PATH ?? '', HOME: cli.home, ...cli.environment }
    this.#child = Bun.spawn([cli.program, ...run.runArguments(launch)], {
      cwd: cli.project,
      env: run.runEnvironment(base, { LODELINE_RUN_DIR: folder, ...cli.passed }),
      ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' },
    })
    this.#talk = run.talk(launch)
    this.#stderr = this.#child.stderr.text()
    this.#reading = this.#read()
    this.#write(this.#talk.opening())
  }

  /** Says a text, and waits for the end of its turn. @returns what a worker would make of it if the process ended well then */
  async turn(text: string): Promise<RunOutcome> {
    this.#told = this.events.length
    this.#write(this.#talk.say(text, crypto.randomUUID(), 'next'))
    await until(`the end of ${text}`, () => this.#result() !== undefined || this.#child.exitCode !== null, TURN_MS)
    return this.#child.exitCode === null ? this.#outcome({ exitCode: 0, signal: null, stderr: '' }) : await this.end()
  }

  /** Closes its input. @returns what its end means */
  async end(): Promise<RunOutcome> {
    await this.#child.stdin.end()
    const code = await this.#child.exited
    await this.#reading
    const killed = this.#child.signalCode === null ? null : String(this.#child.signalCode)
    return this.#outcome({
      exitCode: killed === null ? code : null,
      signal: killed,
      stderr: (await this.#stderr).slice(-16_000),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    killAll(processTree(this.#child.pid))
    await this.#child.exited
  }

  #outcome(end: Pick<RunEnd, 'exitCode' | 'signal' | 'stderr'>): RunOutcome {
    const apiErrors = this.#since().flatMap((event) => (event.kind === 'api_error' ? [event.text] : []))
    const result = this.#result() ?? null
    return this.#run.outcome({ ...end, result, apiErrors, isResume: this.#isResume, now: Date.now() })
  }

  #since = (): RunEvent[] => this.events.slice(this.#told)

  #result() {
    return this.#since().findLast((event) => event.kind === 'result')?.result
  }

  #write(text: string): void {
    if (text === '') return
    this.#child.stdin.write(text)
    void this.#child.stdin.flush()
  }

  async #read(): Promise<void> {
    for await (const line of linesOf(this.#child.stdout)) {
      for (const event of this.#talk.read(new TextEncoder().encode(line))) {
        if (event.kind === 'reply') this.#write(event.text)
        else this.events.push(event)
        if (event.kind !== 'permission') continue
        this.asked.push(event)
        this.#write(this.#talk.permit(event.requestId, { behavior: 'allow', message: null, input: event.input }))
      }
    }
  }
}
