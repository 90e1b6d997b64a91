import type { HarnessRun } from '../../domain/harness/harness-run'
import type { AgentName } from '../../domain/ids'
import type { InstalledCli } from '../../domain/task/agent-choice'
import type { WorkerOptions } from '../options'
import { CliFinder } from './agent-cli'

type Options = Pick<WorkerOptions, 'harness' | 'others' | 'executableOf' | 'env'>

/** The agent CLIs of this machine: which of them are installed, with what finds each again. */
export class InstalledClis {
  readonly #options: Options
  readonly #finders = new Map<AgentName, CliFinder>()
  readonly #found: InstalledCli[] = []
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
}
