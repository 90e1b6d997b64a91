/** Texts that people type for a task's limits, in commands and in the dashboard alike. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units'

/** Milliseconds by unit. `m` and `min` are minutes. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}

/**
 * Parses a duration such as `90s`, `30m`, `1.5h` or `1h30m` into whole milliseconds.
 *
 * @returns null for anything else: no unit (it would be guessed), zero, or more than can be counted exactly
 */
export function parseDurationMs(text: string): number | null {
  if (!/^(\d{1,9}(\.\d{1,3})?(ms|s|min|m|h|d))+$/.test(text)) return null
  const parts = text.matchAll(/([\d.]+)([a-z]+)/g)
  const total = Math.round(
    [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0),
  )
  return total > 0 && Number.isSafeInteger(total) ? total : null
}

/** Parses an amount of US dollars such as `2`, `2.50` or `$0.10`. @returns null for anything else, and for zero */
export function parseCostUsd(text: string): number | null {
  const cost = /^\$?\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text.replace('$', '')) : 0
  return cost > 0 ? cost : null
}
