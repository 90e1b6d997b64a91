import { realpathSync, statSync } from 'node:fs'
import { isAppError } from '../../../domain/errors'
import type { HarnessRun } from '../../../domain/harness/harness-run'
import type { NetworkAddress } from '../../../domain/policy/network-words'
import type { WorkerOptions } from '../../options'
import { addressOf } from '../../sandbox/network/network'

/** The agent's CLI as it is installed now. */
export interface AgentCli {
  path: string
  version: string
}

/** Finds the CLI and asks its version: once for each file, since an update may put another one there while the worker runs. */
export class CliFinder {
  readonly #harness: Pick<HarnessRun, 'findExecutable' | 'version'>
  readonly #configured: string | null
  readonly #env: Record<string, string>
  #known: { stamp: string; cli: Promise<AgentCli> } | null = null
  /** The file that was asked last. */
  #asked: string | null = null

  constructor(harness: HarnessRun, { executableOf, env }: Pick<WorkerOptions, 'executableOf' | 'env'>) {
    this.#harness = harness
    this.#configured = executableOf(harness.agent)
    this.#env = harness.runEnvironment(given(env), {})
  }

  /** @throws `not_found` none is installed; `invalid` too old; `unavailable` it did not answer in time */
  async find(): Promise<AgentCli> {
    const { path, stamp } = this.#place()
    if (this.#known?.stamp !== stamp) {
      this.#asked = stamp
      const cli = this.#harness.version(path, this.#env).then((version) => ({ path, version }))
      this.#known = { stamp, cli }
      cli.catch((error: unknown) => {
        this.#known = null
        if (isAppError(error) && error.code === 'unavailable') this.forget()
      })
    }
    return this.#known.cli
  }

  /** Whether a program is there that was not asked yet. Cheap: it starts nothing. */
  hasNews(): boolean {
    try {
      return this.#place().stamp !== this.#asked
    } catch {
      // What goes and comes back may be the same file.
      this.forget()
      return false
    }
  }

  /** What is there is news. */
  forget(): void {
    this.#asked = null
  }

  #place(): { path: string; stamp: string } {
    const path = this.#harness.findExecutable(this.#env, this.#configured)
    const real = realpathSync(path)
    const { ino, size, mtimeMs } = statSync(real)
    return { path, stamp: `${real}:${ino}:${size}:${mtimeMs}` }
  }
}

/** The environment of one run: what is fit of the worker's, what the settings pass on, the run's own. */
export function runEnvironment(
  harness: Pick<HarnessRun, 'runEnvironment' | 'mayPassOn'>,
  { env, settings }: Pick<WorkerOptions, 'env' | 'settings'>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const base = given(env)
  const passed: Record<string, string> = {}
  for (const name of settings.passEnvironment) {
    const value = base[name]
    if (value !== undefined && harness.mayPassOn(name)) passed[name] = value
  }
  return harness.runEnvironment(base, { ...passed, ...own })
}

/** What every run of it must reach: its model, and Lodeline's server. */
export function ownAddresses(
  harness: Pick<HarnessRun, 'runEnvironment' | 'mayPassOn' | 'modelUrls'>,
  options: Pick<WorkerOptions, 'env' | 'settings' | 'serverUrl'>,
): NetworkAddress[] {
  const urls = [...harness.modelUrls(runEnvironment(harness, options, {})), options.serverUrl]
  return urls.flatMap((url) => addressOf(url) ?? [])
}

function given(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined))
}
