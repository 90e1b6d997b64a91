/** Runs a few things at a time, in their order. @param most  how many at a time */
export function createTurns(most: number) {
  const waiting: (() => Promise<unknown> | null)[] = []
  let running = 0

  const next = (): void => {
    while (running < most) {
      const start = waiting.shift()
      if (start === undefined) return
      const begun = start()
      if (begun === null) continue
      running++
      begun.then(over, over)
    }
  }
  const over = (): void => {
    running--
    next()
  }

  return {
    /** Runs it at once, or when its turn comes. @param start  gives null if it is not wanted any more */
    take(start: () => Promise<unknown> | null): void {
      waiting.push(start)
      next()
    },
  }
}
