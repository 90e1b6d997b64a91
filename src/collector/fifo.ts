/** A line of waiting things; both ends cost the same at any length. */
export class Fifo<T> {
  #things: (T | undefined)[] = []
  #first = 0

  push(thing: T): void {
    this.#things.push(thing)
  }

  /** The one that has waited longest; `undefined` = nobody waits. */
  shift(): T | undefined {
    const thing = this.#things[this.#first]
    this.#things[this.#first] = undefined
    if (++this.#first > this.#things.length) this.#first = this.#things.length
    if (this.#first > 64 && this.#first * 2 > this.#things.length) {
      this.#things = this.#things.slice(this.#first)
      this.#first = 0
    }
    return thing
  }
}
