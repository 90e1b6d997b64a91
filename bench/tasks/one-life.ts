/** A way in which tasks are lived. */
export interface Lives {
  /** A new agent, and what makes one task for it and brings that to its end. */
  client(): Promise<() => Promise<void>>
}

/** Whole lives a second with this many clients at once, for this long. */
export async function livesPerSecond(lives: Lives, clients: number, seconds: number): Promise<number> {
  const live = await Promise.all(Array.from({ length: clients }, () => lives.client()))
  const startedAt = performance.now()
  let count = 0
  await Promise.all(
    live.map(async (one) => {
      for (; performance.now() < startedAt + seconds * 1_000; count++) await one()
    }),
  )
  return count / ((performance.now() - startedAt) / 1_000)
}
