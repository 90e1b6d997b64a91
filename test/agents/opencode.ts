/** The real opencode CLI with a scripted model: a HOME and a project of its own, no key, no address but the loopback. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { killAll, processTree } from '../lab/processes'
import { QUICK_START } from '../lab/quick-start'
import { installedAgents } from './codex-cli'
import { linesOf } from './lines-of'
import { type ChatOptions, type ChatScripts, type ScriptedChat, scriptedChat } from './scripted-chat'

const NO_MODELS = join(import.meta.dir, 'no-models.json')

/** argv that starts the CLI of this platform. @throws Error when it can't be installed */
export async function opencodeCli(): Promise<readonly string[]> {
  return [join(await installedAgents(), `opencode-${process.platform}-${process.arch}/bin/opencode`)]
}

export class Opencode implements AsyncDisposable {
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
  static async start(root: string, scripts: ChatScripts, options: ChatOptions = {}): Promise<Opencode> {
    const model = scriptedChat(scripts, { hasTitles: true, ...options })
    const opencode = new Opencode(root, await opencodeCli(), model)
    for (const folder of [opencode.home, opencode.project]) mkdirSync(folder)
    return opencode
  }

  /** Its own folder: what it is by itself in this HOME. */
  get folder(): string {
    return join(this.home, '.local/share/opencode')
  }

  /** The program itself. */
  get program(): string {
    return this.#command[0] ?? ''
  }

  /** What makes it speak to the scripted model alone. */
  get environment(): Record<string, string> {
    const {
      PATH: _,
      HOME: _home,
      PWD: _folder,
      ...rest
    } = opencodeEnvironment({
      ...{ home: this.home, project: this.project, modelUrl: this.model.url },
    })
    return rest
  }

  /** Runs `opencode run` to its end. @returns the id of its session. @throws Error when it fails */
  async run(prompt: string, options: OpencodeRun = {}): Promise<string> {
    const stdout = await this.call(wordsOf(prompt, options), options.home)
    const id = /"sessionID":"(ses_[A-Za-z0-9]+)"/.exec(stdout)?.[1]
    if (id === undefined) throw new Error(`opencode run told no session: ${stdout}`)
    return id
  }

  /** Runs a command of its to the end. @returns what it printed. @throws Error when it fails */
  async call(words: readonly string[], home?: string): Promise<string> {
    const child = this.start(words, home)
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (exitCode !== 0) throw new Error(`opencode ${words.join(' ')} ended with ${exitCode}: ${stdout}${stderr}`)
    return stdout
  }

  /** Starts it and leaves it at work. */
  start(words: readonly string[], home = this.home) {
    mkdirSync(home, { recursive: true })
    const child = Bun.spawn([...this.#command, ...words], {
      cwd: this.project,
      env: opencodeEnvironment({ home, project: this.project, modelUrl: this.model.url }),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    this.#started.add(child.pid)
    return child
  }

  /** Its server, for what it has no command for. It ends with what this gives. */
  async serve(): Promise<Served> {
    const child = this.start(['serve', '--port', '0'])
    let url: string | undefined
    for await (const line of linesOf(child.stdout)) {
      url = /http:\/\/\S+/.exec(line)?.[0]
      if (url !== undefined) break
    }
    const query = `?directory=${encodeURIComponent(this.project)}`
    return {
      async post(path, body) {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(`${url}${path}${query}`, { method: 'POST', headers, body: JSON.stringify(body) })
        if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`)
        await answer.text()
      },
      async [Symbol.asyncDispose]() {
        child.kill('SIGTERM')
        await child.exited
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#started) killAll(processTree(pid))
    this.model[Symbol.dispose]()
  }
}

interface Served extends AsyncDisposable {
  /** @throws Error when it refuses */
  post(path: string, body: object): Promise<void>
}

export interface OpencodeRun {
  /** A session that goes on. */
  resume?: string | undefined
  /** It goes on in a copy. */
  isFork?: boolean
  /** Another HOME than that of this machine. */
  home?: string
}

export const wordsOf = (prompt: string, { resume, isFork = false }: OpencodeRun): string[] => [
  ...['run', '--format', 'json', '--auto'],
  ...(resume === undefined ? [] : ['-s', resume]),
  ...(isFork ? ['--fork'] : []),
  prompt,
]

/** It takes its working directory from PWD, and would get packages from a registry. */
export function opencodeEnvironment(place: { home: string; project: string; modelUrl: string }) {
  const models = { 'scripted-model': { name: 'Scripted', limit: { context: 100_000, output: 8_000 } } }
  const options = { baseURL: place.modelUrl, apiKey: 'none' }
  const config = {
    ...{ model: 'local/scripted-model', small_model: 'local/scripted-model', share: 'disabled', autoupdate: false },
    provider: { local: { npm: '@ai-sdk/openai-compatible', name: 'Local', options, models } },
  }
  return {
    ...{ PATH: process.env.PATH ?? '', HOME: place.home, PWD: place.project },
    ...{ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_offline: 'true',
    // The list that comes with it takes a quarter of its start.
    OPENCODE_MODELS_PATH: NO_MODELS,
    ...QUICK_START,
  }
}
