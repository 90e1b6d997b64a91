/** What a lab has started, and how each of it ends. */
export class Endings {
  readonly #steps: { what: string; end: () => unknown }[] = []

  /** @param end  is called once, after the endings of everything that was added later */
  add(what: string, end: () => unknown): void {
    this.#steps.push({ what, end })
  }

  /**
   * Runs every ending, the last one first, also after one that failed.
   *
   * @throws AggregateError that names everything that did not end
   */
  async run(): Promise<void> {
    const failures: { what: string; error: unknown }[] = []
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step.end()
      } catch (error) {
        failures.push({ what: step.what, error })
      }
    }
    if (failures.length === 0) return
    const errors = failures.map(({ error }) => error)
    const list = failures.map(({ what, error }) => `${what}: ${error instanceof Error ? error.message : String(error)}`)
    throw new AggregateError(errors, `This did not end well:\n${list.map((line) => `  - ${line}`).join('\n')}`)
  }
}
