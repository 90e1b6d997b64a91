/** Waits between tries: doubled from `firstMs` to `mostMs`, each a random half to whole of that, so that many workers don't come at once. */
export class Backoff {
  readonly #firstMs: number
  readonly #mostMs: number
  readonly #random: () => number
  #tries = 0

  constructor(firstMs = 50, mostMs = 1_000, random: () => number = Math.random) {
    this.#firstMs = firstMs
    this.#mostMs = mostMs
    this.#random = random
  }

  /** Milliseconds before the next try. */
  next(): number {
    const whole = Math.min(this.#mostMs, this.#firstMs * 2 ** Math.min(this.#tries++, 30))
    return Math.round(whole * (0.5 + this.#random() / 2))
  }

  reset(): void {
    this.#tries = 0
  }
}

/** Resolves after `ms`, or as soon as the signal aborts; leaves no timer behind. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}

/** The promise's value, or `undefined` when it took longer than `ms`. Leaves no timer behind. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController()
  try {
    return await Promise.race([promise, pause(ms, over.signal).then(() => undefined)])
  } finally {
    over.abort()
  }
}
