/** The real Gemini CLI with a scripted model: a HOME and a project of its own, no key, no address but the loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killAll, processTree } from '../lab/processes'
import { installedAgents } from './codex-cli'
import { type GeminiScripts, type ScriptedGemini, scriptedGemini } from './scripted-gemini'

export class Gemini implements AsyncDisposable {
  readonly home: string
  readonly project: string
  readonly model: ScriptedGemini
  readonly #program: string
  readonly #started = new Set<number>()

  private constructor(root: string, program: string, model: ScriptedGemini) {
    this.home = join(root, 'h')
    this.project = join(root, 'p')
    this.#program = program
    this.model = model
  }

  /** @param root  an empty folder, which it leaves behind. @throws Error when the CLI can't be installed */
  static async start(root: string, scripts: GeminiScripts): Promise<Gemini> {
    const program = join(await installedAgents(), '@google/gemini-cli/bundle/gemini.js')
    const gemini = new Gemini(root, program, scriptedGemini(scripts))
    for (const folder of [gemini.home, gemini.project, gemini.folder]) mkdirSync(folder)
    writeFileSync(
      join(gemini.folder, 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    )
    return gemini
  }

  /** Its own folder: what GEMINI_CLI_HOME leads to by itself in this HOME. */
  get folder(): string {
    return join(this.home, '.gemini')
  }

  /** Runs one prompt to its end. @returns the id of its session. @throws Error when it fails */
  async run(prompt: string, options: { resume?: string; id?: string } = {}): Promise<string> {
    const child = this.start(prompt, options)
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const id = /"type":"init".*?"session_id":"([\w-]+)"/.exec(stdout)?.[1]
    if (exitCode !== 0 || id === undefined) throw new Error(`gemini ended with ${exitCode}: ${stdout}${stderr}`)
    return id
  }

  /** Starts it and leaves it at work. */
  start(prompt: string, { resume, id }: { resume?: string; id?: string } = {}) {
    const session = resume !== undefined ? ['-r', resume] : id !== undefined ? ['--session-id', id] : []
    const words = ['-o', 'stream-json', '-m', 'gemini-2.5-pro', '--approval-mode', 'yolo', ...session, '-p', prompt]
    const child = Bun.spawn(['node', this.#program, ...words], {
      cwd: this.project,
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: this.home, GEMINI_API_KEY: 'none' },
        GOOGLE_GEMINI_BASE_URL: this.model.url,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        // Otherwise a process of its own does the work, which gets no signal.
        GEMINI_CLI_NO_RELAUNCH: 'true',
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
