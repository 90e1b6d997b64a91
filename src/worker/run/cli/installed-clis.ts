import type { HarnessRun } from '../../../domain/harness/harness-run'
import type { AgentName } from '../../../domain/ids'
import type { InstalledCli } from '../../../domain/task/agent-choice'
import type { WorkerOptions } from '../../options'
import { CliFinder } from './agent-cli'

type Options = Pick<WorkerOptions, 'harness' | 'others' | 'executableOf' | 'env'>

/** Between two looks for CLIs that are not here. */
const LOOK_AGAIN_MS = 30_000

/** The agent CLIs of this machine: which of them are installed, with what finds each again. */
export class InstalledClis {
  readonly #options: Options
  readonly #finders = new Map<AgentName, CliFinder>()
  #found: InstalledCli[] = []
  /** Resolves when all were looked for. */
  readonly all: Promise<void>

  /** Begins to look for those that do not begin tasks by themselves: they are not waited for. */
  private constructor(options: Options) {
    this.#options = options
    this.all = Promise.all(options.others.map((each) => this.#look(each))).then(() => {})
  }

  /**
   * Looks for the CLI that begins what names none. Where it is missing, another one that is there begins it.
   *
   * @throws `not_found` none is installed; `invalid` it is too old
   */
  static async find(options: Options): Promise<InstalledClis> {
    const clis = new InstalledClis(options)
    const { agent } = options.harness
    try {
      const { version } = await clis.finderOf(options.harness).find()
      clis.#found.unshift({ name: agent, version })
    } catch (error) {
      await clis.all
      if (clis.#found.length === 0) throw error
    }
    return clis
  }

  /** Those that were found by now; the first begins what names none. */
  get found(): readonly InstalledCli[] {
    return this.#found
  }

  finderOf(harness: HarnessRun): CliFinder {
    const known = this.#finders.get(harness.agent) ?? new CliFinder(harness, this.#options)
    this.#finders.set(harness.agent, known)
    return known
  }

  /** What is not here, or too old, is not told of: its tasks are left to others. */
  async #look(load: () => Promise<HarnessRun>): Promise<void> {
    try {
      const harness = await load()
      const { version } = await this.finderOf(harness).find()
      this.#found.push({ name: harness.agent, version })
      // In the order of the settings, whichever answered first: the same machine says the same each time.
      const first = this.#options.harness.agent
      this.#found.sort((a, b) => Number(b.name === first) - Number(a.name === first) || a.name.localeCompare(b.name))
    } catch {
      // A task that needs it says so.
    }
  }

  /** It is not here any more, or not now: an update may be under way. */
  lost(agent: AgentName): void {
    this.#found = this.#found.filter(({ name }) => name !== agent)
    this.#finders.get(agent)?.forget()
  }

  /** Looks from time to time for those that are not here. @returns what ends it */
  watch(onNews: () => void, everyMs = LOOK_AGAIN_MS): () => void {
    let isLooking = false
    const look = async (): Promise<void> => {
      if (isLooking) return
      isLooking = true
      await this.all
      const before = this.#found.length
      for (const load of [async () => this.#options.harness, ...this.#options.others]) await this.#lookAgain(load)
      isLooking = false
      if (this.#found.length !== before) onNews()
    }
    const timer = setInterval(() => void look(), everyMs)
    return () => clearInterval(timer)
  }

  async #lookAgain(load: () => Promise<HarnessRun>): Promise<void> {
    const harness = await load()
    const isFound = this.#found.some(({ name }) => name === harness.agent)
    // One that is too old, or no such CLI, is not asked again until another file is there.
    if (!isFound && this.finderOf(harness).hasNews()) await this.#look(async () => harness)
  }
}
