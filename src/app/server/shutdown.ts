import type { Logger } from '../../util/log'

/** A stop that takes longer than this is given up, and said so: the database is safe at any moment. */
const WATCHDOG_MS = 10_000

/** What must be ended, last begun first. Runs once; a step that fails is logged and the rest goes on. */
export class Shutdown {
  private readonly steps: { name: string; end: () => Promise<unknown> | undefined }[] = []
  private readonly log: Logger
  private running: Promise<void> | undefined

  constructor(log: Logger) {
    this.log = log
  }

  add(name: string, end: () => Promise<unknown>): void {
    this.steps.push({ name, end })
  }

  run(): Promise<void> {
    this.running ??= this.runOnce()
    return this.running
  }

  private async runOnce(): Promise<void> {
    for (const { name, end } of this.steps.reverse()) {
      let watchdog: ReturnType<typeof setTimeout> | undefined
      const tooLong = new Promise<'too long'>((resolve) => {
        watchdog = setTimeout(() => resolve('too long'), WATCHDOG_MS)
      })
      try {
        if ((await Promise.race([end(), tooLong])) === 'too long')
          this.log.error('a component does not stop; continuing without it', { part: name })
      } catch (error) {
        this.log.error('a component failed to stop', { part: name, error })
      } finally {
        clearTimeout(watchdog)
      }
    }
  }
}
