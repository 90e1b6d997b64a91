/** Spans of time in milliseconds, by which limits and waits are written. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
/** 24 hours; a day of a calendar can have 23 or 25 (`cost/zone-days.ts`). */
export const DAY_MS = 24 * HOUR_MS
