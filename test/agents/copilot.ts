/** The real Copilot CLI with a scripted model: a HOME and a project of its own, no key, no address but the loopback. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { killAll, processTree } from '../lab/processes'
import { installedAgents } from './codex-cli'
import { linesOf } from './lines-of'
import { type ChatScripts, type ScriptedChat, scriptedChat } from './scripted-chat'

/** The program itself: the loader of npm starts it and passes no signal on. @throws Error when it can't be installed */
export async function copilotCli(): Promise<string> {
  return join(await installedAgents(), `@github/copilot-${process.platform}-${process.arch}/copilot`)
}

export class Copilot implements AsyncDisposable {
  readonly home: string
  readonly project: string
  readonly program: string
  readonly model: ScriptedChat
  readonly #started = new Set<number>()

  private constructor(root: string, program: string, model: ScriptedChat) {
    this.home = join(root, 'h')
    this.project = join(root, 'p')
    this.program = program
    this.model = model
  }

  /** @param root  an empty folder, which it leaves behind */
  static async start(root: string, scripts: ChatScripts): Promise<Copilot> {
    // It unpacks itself at its first start, 290 MB: once for all tests.
    const cache = join(await installedAgents(), '../cache/copilot')
    const copilot = new Copilot(root, await copilotCli(), scriptedChat(scripts))
    const unpacked = join(copilot.home, '.cache/copilot')
    for (const folder of [cache, copilot.home, copilot.project, dirname(unpacked)])
      mkdirSync(folder, { recursive: true })
    symlinkSync(cache, unpacked)
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    for (const words of [
      ['init', '-q', '-b', 'main'],
      [...author, 'commit', '-q', '--allow-empty', '-m', 'Begin'],
    ]) {
      const git = Bun.spawnSync(['git', ...words], { cwd: copilot.project })
      if (git.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${git.stderr.toString()}`)
    }
    return copilot
  }

  /** Its own folder: what COPILOT_HOME is by itself in this HOME. */
  get folder(): string {
    return join(this.home, '.copilot')
  }

  /** What makes it speak to the scripted model alone. */
  get environment(): Record<string, string> {
    return {
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: this.model.url,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'scripted-model',
    }
  }

  /** Runs it with a prompt to its end. @returns the id of its session. @throws Error when it fails */
  async run(prompt: string, options: RunOptions = {}): Promise<string> {
    const child = this.start(prompt, options)
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const id = /"type":"result".*"sessionId":"([0-9a-f-]{36})"/.exec(stdout)?.[1]
    if (exitCode !== 0 || id === undefined) throw new Error(`copilot ended with ${exitCode}: ${stdout}${stderr}`)
    return id
  }

  /** Opens a session in one process, as another program does, and says these texts one after another. @returns its id */
  async converse(texts: readonly string[], session?: string): Promise<string> {
    const child = Bun.spawn([this.program, '--acp', '--allow-all-tools'], {
      cwd: this.project,
      env: { PATH: process.env.PATH ?? '', HOME: this.home, ...this.environment },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    this.#started.add(child.pid)
    const lines = linesOf(child.stdout)
    let last = 0
    const ask = async (method: string, params: object): Promise<{ sessionId?: string }> => {
      const id = ++last
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      child.stdin.flush()
      for await (const line of lines) {
        const message = JSON.parse(line) as { id?: number; result?: { sessionId?: string }; error?: unknown }
        if (message.id !== id) continue
        if (message.error !== undefined) throw new Error(`${method}: ${JSON.stringify(message.error)}`)
        return message.result ?? {}
      }
      throw new Error(`copilot ended at ${method}`)
    }
    await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const place = { cwd: this.project, mcpServers: [] }
    const made = session === undefined ? (await ask('session/new', place)).sessionId : session
    if (session !== undefined) await ask('session/load', { ...place, sessionId: session })
    for (const text of texts) await ask('session/prompt', { sessionId: made, prompt: [{ type: 'text', text }] })
    child.kill('SIGTERM')
    await child.exited
    return made ?? ''
  }

  /** Has the CLI fork a session, as its command `/fork` does. @returns the id of the copy */
  async fork(session: string): Promise<string> {
    const child = Bun.spawn([this.program, '--headless', '--stdio', '--no-auto-update'], {
      cwd: this.project,
      env: { PATH: process.env.PATH ?? '', HOME: this.home, ...this.environment },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    this.#started.add(child.pid)
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sessions.fork', params: { sessionId: session } })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(request)}\r\n\r\n${request}`)
    child.stdin.flush()
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of child.stdout) {
      text += decoder.decode(bytes, { stream: true })
      const id = /"sessionId":"([0-9a-f-]{36})"/.exec(text)?.[1]
      if (id === undefined) continue
      child.kill('SIGTERM')
      await child.exited
      return id
    }
    throw new Error(`copilot did not fork: ${text}`)
  }

  /** Starts it with a prompt and leaves it at work. */
  start(prompt: string, { session, home = this.home, env = {} }: RunOptions = {}) {
    const words = ['-p', prompt, '--output-format', 'json', '--allow-all-tools']
    const child = Bun.spawn([this.program, ...words, ...(session === undefined ? [] : ['--session-id', session])], {
      cwd: this.project,
      // Another HOME has nothing unpacked.
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: home, XDG_CACHE_HOME: join(this.home, '.cache') },
        ...{ ...this.environment, ...env },
      },
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

export interface RunOptions {
  /** The id of a session that begins, or of one that goes on. */
  session?: string
  /** Another HOME than that of this machine. */
  home?: string
  /** More of its environment. */
  env?: Readonly<Record<string, string>>
}
