import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ProcessState, processState } from './measure'

const root = resolve(import.meta.dir, '../..')

/** Compiles the executable from the source as it stands, as `npm run build` does. */
export async function buildLode(outfile: string): Promise<void> {
  const build = Bun.spawn([process.execPath, join(root, 'scripts/build.ts'), outfile], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await build.stderr.text()
  if ((await build.exited) !== 0) throw new Error(`the build failed: ${said}`)
}

/** The environment of commands: nothing of the caller's but the path. */
export const environment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  LODELINE_HOME: home,
  NO_COLOR: '1',
})

/** Makes an installation's folder whose settings name no folder but `claudeRoot`. */
export function prepareHome(home: string, claudeRoot: string = join(home, 'no-claude')): string {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(
    join(home, 'config.yaml'),
    JSON.stringify({ 'agents.claude-code.homes': [claudeRoot], 'listen.port': 0 }),
  )
  return home
}

/** A server of the compiled executable, in a process of its own. */
export class Server {
  readonly url: string
  readonly pid: number
  private readonly token: string
  private readonly process: Bun.Subprocess

  private constructor(child: Bun.Subprocess, url: string, token: string) {
    this.process = child
    this.pid = child.pid
    this.url = url
    this.token = token
  }

  /** Starts `lode serve` (or `up`) and waits until it answers. */
  static async start(
    lode: string,
    home: string,
    kind: 'serve' | 'up' = 'serve',
    more: Record<string, string> = {},
  ): Promise<Server> {
    const child = Bun.spawn([lode, kind, '--home', home], {
      // As bin/lode starts it.
      env: { ...environment(home), BUN_JSC_useFTLJIT: '0', ...more },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    })
    try {
      for (const end = performance.now() + 30_000; ; await Bun.sleep(20)) {
        if (child.exitCode !== null) throw new Error(`lode ${kind} ended with ${child.exitCode}`)
        if (performance.now() > end) throw new Error(`lode ${kind} did not come up`)
        const url = readUrl(home, child.pid)
        if (url === undefined) continue
        return new Server(child, url, readFileSync(join(home, 'token'), 'utf8').trim())
      }
    } catch (error) {
      child.kill('SIGKILL')
      await child.exited
      throw error
    }
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` }
  }

  /** The body of a good answer. @throws for any other answer */
  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}${path}`, { headers: this.headers })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  state(): ProcessState {
    return processState(this.pid)
  }

  async stop(): Promise<void> {
    this.process.kill('SIGTERM')
    await this.process.exited
  }
}

/** The address in the folder's `server.json`, once it is this process's. */
function readUrl(home: string, pid: number): string | undefined {
  try {
    const file = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { url: string; pid: number }
    return file.pid === pid ? file.url : undefined
  } catch {
    return undefined
  }
}
