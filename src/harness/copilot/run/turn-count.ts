/** How often the model was asked in a run: it speaks, and speaks again after the tools have answered. */
export class TurnCount {
  readonly #most: number | null
  #count = 0
  #isSpeaking = false

  /** @param most  `null` = as often as it likes */
  constructor(most: number | null) {
    this.#most = most
  }

  get count(): number {
    return this.#count
  }

  get isOver(): boolean {
    return this.#most !== null && this.#count > this.#most
  }

  /** The model said something, or called a tool. */
  said(): void {
    if (!this.#isSpeaking) this.#count++
    this.#isSpeaking = true
  }

  /** A tool answered. */
  answered(): void {
    this.#isSpeaking = false
  }
}
