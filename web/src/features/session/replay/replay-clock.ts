/** A time in which nothing happens, in milliseconds since the epoch. */
export interface IdleSpan {
  from: number
  to: number
}

/** How many times faster than it was. */
export const SPEEDS = [1, 2, 5, 10, 30, 60] as const
export type Speed = (typeof SPEEDS)[number]

/** A shorter pause is not skipped: it belongs to how the work went. Milliseconds. */
const LEAST_IDLE_MS = 5_000
/** What is seen of a skipped pause before it ends. Milliseconds. */
const BEFORE_END_MS = 500

/** Where the replay is after some real time. It jumps over idle spans, and stops at the end. */
export function nextTime(at: number, realMs: number, speed: number, idle: readonly IdleSpan[], end: number): number {
  const next = at + realMs * speed
  const span = idle.find(({ from, to }) => to - from >= LEAST_IDLE_MS && next > from && at < to - BEFORE_END_MS)
  return Math.min(end, span === undefined ? next : Math.max(at, span.to - BEFORE_END_MS))
}

/** Times between which nothing happened: gaps between the moments of a session. @param moments  milliseconds, in any order */
export function idleSpans(moments: Iterable<readonly [from: number, to: number]>): IdleSpan[] {
  const idle: IdleSpan[] = []
  let last: number | null = null
  for (const [from, to] of [...moments].sort((a, b) => a[0] - b[0])) {
    if (last !== null && from - last >= LEAST_IDLE_MS) idle.push({ from: last, to: from })
    last = Math.max(last ?? to, to)
  }
  return idle
}
