/** The real Qwen Code with a scripted model: a HOME and a project of its own, no key, no address but the loopback. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killAll, processTree } from '../lab/processes'
import { installedAgents } from './codex-cli'
import { type ChatScripts, type ScriptedChat, scriptedChat } from './scripted-chat'

export class Qwen implements AsyncDisposable {
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

  /** @param root  an empty folder, which it leaves behind. @throws Error when the CLI can't be installed */
  static async start(root: string, scripts: ChatScripts): Promise<Qwen> {
    const packages = await installedAgents()
    // It asks for a newer Node than the rest of this repository.
    const own = join(packages, `node-${process.platform}-${process.arch}/bin/node`)
    const command = [existsSync(own) ? own : 'node', join(packages, '@qwen-code/qwen-code/cli-entry.js')]
    const qwen = new Qwen(root, command, scriptedChat(scripts))
    for (const folder of [qwen.home, qwen.project, qwen.folder]) mkdirSync(folder)
    // Its list of to-dos is off by itself.
    writeFileSync(join(qwen.folder, 'settings.json'), JSON.stringify({ tools: { todoWrite: { enabled: true } } }))
    return qwen
  }

  /** Its own folder: what QWEN_HOME is by itself in this HOME. */
  get folder(): string {
    return join(this.home, '.qwen')
  }

  /** Runs one prompt to its end. @returns the id of its session. @throws Error when it fails */
  async run(prompt: string, options: { resume?: string } = {}): Promise<string> {
    const child = this.start(prompt, options)
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const id = /"subtype":"init".*?"session_id":"([\w-]+)"/.exec(stdout)?.[1]
    if (exitCode !== 0 || id === undefined) throw new Error(`qwen ended with ${exitCode}: ${stdout}${stderr}`)
    return id
  }

  /** Starts it and leaves it at work. */
  start(prompt: string, { resume }: { resume?: string } = {}) {
    const session = resume === undefined ? [] : ['-r', resume]
    const words = ['--auth-type', 'openai', '--yolo', '-o', 'stream-json', ...session, '-p', prompt]
    const child = Bun.spawn([...this.#command, ...words], {
      cwd: this.project,
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: this.home },
        ...{ OPENAI_BASE_URL: this.model.url, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'scripted-model' },
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
