/** The real Pi with a scripted model: a HOME and a project of its own, no key, no address but the loopback. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killAll, processTree } from '../lab/processes'
import { installedAgents } from './codex-cli'
import { linesOf } from './lines-of'
import { type ChatOptions, type ChatScripts, type ScriptedChat, scriptedChat } from './scripted-chat'

/** argv that starts it. It asks for a newer Node than the rest of this repository. @throws Error when it can't be installed */
export async function piCli(): Promise<readonly string[]> {
  const packages = await installedAgents()
  const own = join(packages, `node-${process.platform}-${process.arch}/bin/node`)
  const program = join(packages, '@earendil-works/pi-coding-agent/dist/bundle/cli.js')
  return [existsSync(own) ? own : 'node', program]
}

/** What `--model` names. */
export const PI_MODEL = 'local/scripted-model'

export class Pi implements AsyncDisposable {
  readonly home: string
  readonly project: string
  readonly model: ScriptedChat
  readonly #command: readonly string[]
  readonly #started = new Set<number>()

  private constructor(root: string, command: readonly string[], model: ScriptedChat) {
    this.home = join(root, 'h')
    this.project = join(root, 'p')
    this.#command = command
    this.model = model
  }

  /** @param root  an empty folder, which it leaves behind */
  static async start(root: string, scripts: ChatScripts, options: ChatOptions = {}): Promise<Pi> {
    const pi = new Pi(root, await piCli(), scriptedChat(scripts, options))
    mkdirSync(pi.project)
    pi.prepare(pi.home)
    return pi
  }

  /** Its own folder: what PI_CODING_AGENT_DIR is by itself in this HOME. */
  get folder(): string {
    return join(this.home, '.pi', 'agent')
  }

  /** Makes a HOME in which it knows the model. */
  prepare(home: string): void {
    const cost = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 0 }
    const model = { id: 'scripted-model', reasoning: true, contextWindow: 128_000, maxTokens: 4_096, cost }
    const local = { baseUrl: this.model.url, api: 'openai-completions', apiKey: 'none', models: [model] }
    const folder = join(home, '.pi', 'agent')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers: { local } }))
    writeFileSync(
      join(folder, 'settings.json'),
      JSON.stringify({ defaultProvider: 'local', defaultModel: 'scripted-model' }),
    )
  }

  /** A program that starts it, as PATH would find one. */
  program(): string {
    const path = join(this.home, 'pi')
    writeFileSync(path, `#!/bin/sh\nexec ${this.#command.map((word) => `'${word}'`).join(' ')} "$@"\n`)
    chmodSync(path, 0o755)
    return path
  }

  /** Runs one prompt to its end. @returns the id of its session. @throws Error when it fails */
  async run(prompt: string, options: PiRun = {}): Promise<string> {
    const child = this.start(prompt, options)
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const id = /"type":"session","version":\d+,"id":"([\w.-]+)"/.exec(stdout)?.[1]
    if (exitCode !== 0 || id === undefined) throw new Error(`pi ended with ${exitCode}: ${stdout}${stderr}`)
    return id
  }

  /** Goes on with a session in one process, and says these texts one after another; `null` = it compacts the conversation. */
  async converse(session: string, texts: readonly (string | null)[]): Promise<void> {
    const child = Bun.spawn([...this.#command, '--mode', 'rpc', '--session', session], {
      cwd: this.project,
      env: { PATH: process.env.PATH ?? '', HOME: this.home, PI_OFFLINE: '1' },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    this.#started.add(child.pid)
    const lines = linesOf(child.stdout)
    for (const message of texts) {
      child.stdin.write(`${JSON.stringify(message === null ? { type: 'compact' } : { type: 'prompt', message })}\n`)
      child.stdin.flush()
      for await (const line of lines) {
        const record = JSON.parse(line) as { type: string; command?: string; success?: boolean; error?: string }
        if (record.success === false) throw new Error(record.error)
        if (record.type === 'agent_settled' || (record.type === 'response' && record.command === 'compact')) break
      }
    }
    child.stdin.end()
    await child.exited
  }

  /** Starts it and leaves it at work. */
  start(prompt: string, { resume, fork, home = this.home }: PiRun = {}) {
    const verb = resume !== undefined ? ['--session', resume] : fork !== undefined ? ['--fork', fork] : []
    const child = Bun.spawn([...this.#command, '--mode', 'json', '-p', ...verb, '--', prompt], {
      cwd: this.project,
      env: { PATH: process.env.PATH ?? '', HOME: home, PI_OFFLINE: '1' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    this.#started.add(child.pid)
    return child
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#started) killAll(processTree(pid))
    this.model[Symbol.dispose]()
  }
}

export interface PiRun {
  /** A session, or the path of its file, that goes on. */
  resume?: string
  /** A session of which this one begins with a copy. */
  fork?: string
  /** Another HOME than that of this machine. */
  home?: string
}
