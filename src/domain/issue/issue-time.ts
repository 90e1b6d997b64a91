/**
 * Times of issues stay the strings that were written, since `Date` would cut nanoseconds. These functions order them.
 */

/** Nanoseconds since the epoch; `null` = it is no RFC 3339 time. */
export function issueTimeNanos(text: string | null): bigint | null {
  if (text === null) return null
  const parts = /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:?\d\d)?$/.exec(text)
  const [, seconds = '', fraction = '', zone = 'Z'] = parts ?? []
  const milliseconds = Date.parse(`${seconds.replace(/[t ]/, 'T')}${zone.toUpperCase()}`)
  if (Number.isNaN(milliseconds)) return null
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/** Milliseconds since the epoch, for comparing with a clock; `null` = it is no time. */
export function issueTimeMs(text: string | null): number | null {
  // Nearly all times of a file; four are read of each issue that is taken in.
  if (text !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(text)) {
    const ms = Date.parse(text)
    return Number.isNaN(ms) ? null : ms
  }
  const nanos = issueTimeNanos(text)
  return nanos === null ? null : Number(nanos / 1_000_000n)
}

/** Negative when `a` is earlier. What is no time is earlier than all that is. */
export function compareIssueTimes(a: string | null, b: string | null): number {
  if (a === b) return 0
  // Two times of one zone and precision order as text does: this is nearly all of a file, and sorting asks often.
  if (a?.length === 20 && b?.length === 20 && a.endsWith('Z') && b.endsWith('Z')) return a < b ? -1 : 1
  const [left, right] = [issueTimeNanos(a), issueTimeNanos(b)]
  if (left === null || right === null) return left === right ? 0 : left === null ? -1 : 1
  return left < right ? -1 : left > right ? 1 : 0
}
