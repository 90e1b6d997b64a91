/** The real Codex CLI with a scripted model: a HOME and a project of its own, no key, no address but the loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killAll, processTree } from '../lab/processes'
import { codexCli } from './codex-cli'
import { type ScriptedModel, type Step, scriptedModel } from './scripted-model'

export class Codex implements AsyncDisposable {
  readonly home: string
  readonly project: string
  readonly #command: readonly string[]
  readonly #model: ScriptedModel
  readonly #started = new Set<number>()

  private constructor(root: string, command: readonly string[], model: ScriptedModel) {
    this.home = join(root, 'h')
    this.project = join(root, 'p')
    this.#command = command
    this.#model = model
  }

  /** @param root  an empty folder, which it leaves behind */
  static async start(root: string, scripts: Readonly<Record<string, readonly Step[]>>): Promise<Codex> {
    const codex = new Codex(root, await codexCli(), scriptedModel(scripts))
    for (const folder of [codex.home, codex.project]) mkdirSync(folder)
    // In a repository without a commit the CLI names no branch.
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    for (const words of [
      ['init', '-q', '-b', 'main'],
      [...author, 'commit', '-q', '--allow-empty', '-m', 'Begin'],
    ]) {
      const git = Bun.spawnSync(['git', ...words], { cwd: codex.project })
      if (git.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${git.stderr.toString()}`)
    }
    return codex
  }

  /** What the model was shown in each request, oldest first. */
  get shown(): readonly string[] {
    return this.#model.shown
  }

  /** Has every process of the CLI reach the scripted model, as a person's settings would. @returns the text of `config.toml` */
  configure(more = ''): string {
    const text = [
      'model = "scripted-model"',
      'model_provider = "local"',
      'check_for_update_on_startup = false',
      '[model_providers.local]',
      'name = "local"',
      `base_url = "${this.#model.url}"`,
      'env_key = "LOCAL_KEY"',
      'wire_api = "responses"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
      more,
      '',
    ].join('\n')
    mkdirSync(this.folder, { recursive: true })
    writeFileSync(join(this.folder, 'config.toml'), text)
    return text
  }

  /** Puts the program on a path of its own. @returns the folder with `codex` in it */
  onPath(): string {
    const folder = join(this.home, 'bin')
    mkdirSync(folder, { recursive: true })
    const words = this.#command.map((word) => `'${word}'`).join(' ')
    writeFileSync(join(folder, 'codex'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
    return folder
  }

  /** Its own folder: what CODEX_HOME is by itself in this HOME. */
  get folder(): string {
    return join(this.home, '.codex')
  }

  /** What the model was sent, oldest first. */
  get requests(): ScriptedModel['requests'] {
    return this.#model.requests
  }

  /** Runs `codex exec` to its end. @returns the id of its thread. @throws Error when it fails */
  async run(prompt: string, options: RunOptions = {}): Promise<string> {
    const child = this.start(prompt, options)
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const id = /"thread_id":"([0-9a-f-]{36})"/.exec(stdout)?.[1]
    if (exitCode !== 0 || id === undefined) throw new Error(`codex exec ended with ${exitCode}: ${stdout}${stderr}`)
    return id
  }

  /** Starts `codex exec` and leaves it at work. */
  start(prompt: string, { resume, fork, home = this.home, config = {} }: RunOptions = {}) {
    const provider = `{name="local",base_url="${this.#model.url}",env_key="LOCAL_KEY",wire_api="responses"}`
    const settings = {
      model_provider: '"local"',
      'model_providers.local': provider,
      'analytics.enabled': 'false',
      check_for_update_on_startup: 'false',
      'tools.update_plan': '{enabled=true}',
      ...config,
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const verb = resume !== undefined ? ['resume', resume] : fork !== undefined ? ['fork', fork] : []
    const words = ['exec', '--json', '-s', 'danger-full-access', '-m', 'scripted-model', ...options, ...verb, prompt]
    mkdirSync(join(home, '.codex'), { recursive: true })
    const child = Bun.spawn([...this.#command, ...words], {
      cwd: this.project,
      env: { PATH: process.env.PATH ?? '', HOME: home, LOCAL_KEY: 'none' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    this.#started.add(child.pid)
    return child
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#started) killAll(processTree(pid))
    this.#model[Symbol.dispose]()
  }
}

export interface RunOptions {
  /** A thread that goes on. */
  resume?: string | undefined
  /** A thread of which this one begins with a copy. */
  fork?: string | undefined
  /** Another HOME than that of this machine. */
  home?: string
  /** More of its settings, as TOML. */
  config?: Readonly<Record<string, string>>
}
