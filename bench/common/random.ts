/** A generator with a seed, and what is made of it: the same every time. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed | 0
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** True this often, from 0 (never) to 1 (always). */
  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T
  }

  /** Lower-case hex digits. */
  hex(length: number): string {
    let text = ''
    while (text.length < length) text += this.below(0x10000).toString(16).padStart(4, '0')
    return text.slice(0, length)
  }

  uuid(): string {
    const text = this.hex(32)
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-8${text.slice(17, 20)}-${text.slice(20)}`
  }
}
