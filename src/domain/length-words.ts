/** Units by the length from which the next one is used; both in seconds. */
const UNITS: readonly [limit: number, size: number, name: string][] = [
  [60, 1, 's'],
  [60 * 60, 60, 'min'],
  [48 * 3_600, 3_600, 'h'],
  [Number.POSITIVE_INFINITY, 86_400, 'd'],
]

/** Formats a duration: `42 s`, `7 min`, `3 h`, `12 d`. @param ms  milliseconds; negative counts as 0 */
export function lengthOf(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000
  const [, size, name] = UNITS.find(([limit]) => seconds < limit) ?? [0, 86_400, 'd']
  return `${Math.floor(seconds / size)} ${name}`
}
