/** Times, counts, sizes and money as a person reads them: short, plain ASCII, the same width as often as possible. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * How long ago, in the largest unit that fits: `now`, `12s`, `5m`, `3h`, `4d`, `9w`, `2y`.
 *
 * @param iso  ISO 8601; `null` or not a time = `-`. A time to come (another host's clock) counts as now.
 * @param now  milliseconds since the epoch
 */
export function age(iso: string | null, now: number): string {
  const at = iso === null ? Number.NaN : Date.parse(iso)
  return Number.isNaN(at) ? '-' : duration(Math.max(0, now - at), 'now')
}

/** As `age`, for a span in milliseconds; below a second `zero`. */
export function duration(ms: number, zero = '0s'): string {
  if (ms < SECOND) return zero
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`
  if (ms < 28 * DAY) return `${Math.floor(ms / DAY)}d`
  if (ms < 364 * DAY) return `${Math.floor(ms / (7 * DAY))}w`
  return `${Math.floor(ms / (365 * DAY)) || 1}y`
}

/** Counts in at most five characters: `999`, `1.2k`, `12k`, `3.4M`. */
export function count(n: number): string {
  return scaled(n, 1_000, ['', 'k', 'M', 'G', 'T'])
}

/** Sizes in powers of 1,000: `999 B`, `1.2 kB`, `34 MB`. */
export function bytes(n: number): string {
  return scaled(n, 1_000, [' B', ' kB', ' MB', ' GB', ' TB'])
}

function scaled(n: number, base: number, units: readonly string[]): string {
  let value = n
  let unit = 0
  // 999.5 would be shown as 1000 of the smaller unit.
  while (Math.abs(value) >= base - 0.5 && unit < units.length - 1) {
    value /= base
    unit++
  }
  const digits = unit > 0 && Math.abs(value) < 9.95 ? 1 : 0
  return `${value.toFixed(digits)}${units[unit]}`
}

/**
 * US dollars: `$0.00` to the cent, more digits below a cent; `null` (no model with a known price) is `-`.
 *
 * @param isEstimate  as a `Cost` says it: `~$1.20`. What was never counted by prices, as a limit, is none.
 */
export function dollars(usd: number | null, isEstimate: boolean): string {
  if (usd === null) return '-'
  const about = isEstimate ? '~' : ''
  return usd > 0 && usd < 0.01 ? `${about}$${usd.toFixed(4)}` : `${about}$${usd.toFixed(2)}`
}

/** `1 session`, `2 sessions`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`
}

/** `2026-11-20 12:03:04` in the local time of this machine; what is not a time is given back as it is. */
export function localTime(iso: string | null): string | null {
  if (iso === null) return null
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const two = (n: number) => String(n).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}
