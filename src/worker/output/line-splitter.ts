/** A line beyond this is not looked at (its bytes are kept all the same): no line of the CLI that matters here comes near. */
const DEFAULT_MOST = 64 * 2 ** 20

/** Cuts a stream of bytes into lines, whatever their length and however they come in. Each line is given once, without its newline. */
export class LineSplitter {
  readonly #most: number
  #parts: Uint8Array[] = []
  #length = 0
  #isPassing = false

  constructor(most = DEFAULT_MOST) {
    this.#most = most
  }

  push(bytes: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = []
    let from = 0
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      this.#keep(bytes.subarray(from, at))
      const line = this.#take()
      if (line !== null) lines.push(line)
      from = at + 1
    }
    this.#keep(bytes.subarray(from))
    return lines
  }

  /** What follows the last newline. */
  rest(): Uint8Array | null {
    const line = this.#take()
    return line !== null && line.length > 0 ? line : null
  }

  #keep(bytes: Uint8Array): void {
    if (this.#isPassing || bytes.length === 0) return
    this.#length += bytes.length
    if (this.#length > this.#most) {
      this.#isPassing = true
      this.#parts = []
      return
    }
    // The reader of the pipe may use its buffer again.
    this.#parts.push(bytes.slice())
  }

  #take(): Uint8Array | null {
    const [only] = this.#parts
    const line = this.#isPassing ? null : this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    this.#isPassing = false
    return line
  }
}
