import type { RunEvent } from '../../domain/harness/harness-run'

/**
 * When the work of a run is over: the CLI is idle and nothing is left in the background. A result alone says nothing: there may be
 * several, and with an agent in the background it is held back.
 *
 * - `working`  something runs, or nothing was said yet
 * - `shells`   idle; only shells are left: they get a grace
 * - `agents`   idle; agents are at work in the background: awaited
 * - `over`     idle, nothing left
 */
export type WorkState = 'working' | 'shells' | 'agents' | 'over'

export class EndOfWork {
  #isIdle = false
  #tellsState = false
  #hasResult = false
  #agents: readonly string[] = []
  #shells: readonly string[] = []

  /** Takes one event into account. */
  see(event: RunEvent): void {
    switch (event.kind) {
      case 'state':
        this.#tellsState = true
        this.#isIdle = event.state === 'idle'
        break
      case 'background':
        this.#agents = event.agents
        this.#shells = event.shells
        break
      case 'result':
        this.#hasResult = true
        // A CLI that tells no states: its result is all there is to go by.
        if (!this.#tellsState) this.#isIdle = true
        break
      case 'init':
        if (!this.#tellsState) this.#isIdle = false
        break
      default:
    }
  }

  get state(): WorkState {
    if (!this.#isIdle || !this.#hasResult) return 'working'
    if (this.#agents.length > 0) return 'agents'
    return this.#shells.length > 0 ? 'shells' : 'over'
  }

  /** Whether a turn is under way that an interrupt would end. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  get shells(): readonly string[] {
    return this.#shells
  }

  get agents(): readonly string[] {
    return this.#agents
  }
}
