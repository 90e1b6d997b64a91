import type { MachineFacts } from '../../domain/machine/machine'
import type { WorkerOptions } from '../options'
import { findMachine, findRepositories } from './find-facts'

/** This machine, as the worker tells the server of it. */
export class Machine {
  readonly #mirrors: string
  readonly #found: Omit<MachineFacts, 'repositories'>

  private constructor(mirrors: string, found: Omit<MachineFacts, 'repositories'>) {
    this.#mirrors = mirrors
    this.#found = found
  }

  static async find({ env, settings }: Pick<WorkerOptions, 'env' | 'settings'>): Promise<Machine> {
    const mirrors = settings.mirrorFolder
    return new Machine(mirrors, await findMachine({ mirrors, env }))
  }

  /** As of now. */
  get facts(): MachineFacts {
    return { ...this.#found, repositories: findRepositories({ mirrors: this.#mirrors }) }
  }
}
