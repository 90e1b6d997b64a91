/** A line of the file without a priority means 0: writers of 2025 left zeros out. A new issue gets `NEW_ISSUE_PRIORITY`. */
export const MISSING_PRIORITY = 0
export const NEW_ISSUE_PRIORITY = 2
export const LOWEST_PRIORITY = 4
/** All priorities, the highest first. */
export const ISSUE_PRIORITIES: readonly number[] = Array.from(
  { length: LOWEST_PRIORITY + 1 },
  (_, priority) => priority,
)

/** Reads `0`–`4` and `P0`–`P4`, in either case; `null` = it is no priority. */
export function parsePriority(text: string): number | null {
  const digit = /^\s*p?([0-4])\s*$/i.exec(text)?.[1]
  return digit === undefined ? null : Number(digit)
}

/** How people say it: `P1`. */
export function priorityName(priority: number): string {
  return `P${priority}`
}
