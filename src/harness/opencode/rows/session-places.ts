import type { SessionSummary } from './row-source'
import type { SessionPlace } from './session-rows'

/** Ids become names of files. */
export const FILE_NAME = /^[A-Za-z0-9_-]{1,120}$/

/** Sessions launch each other at most so deep. */
const DEEPEST = 50

/** Where each session stands: one that another session launched belongs to the one at the top. */
export function placesOf(summaries: readonly SessionSummary[]): Map<string, SessionPlace> {
  const all = new Map(summaries.filter(({ id }) => FILE_NAME.test(id)).map((each) => [each.id, each]))
  return new Map(
    [...all.values()].map((each) => [each.id, { id: each.id, root: rootOf(each, all), born: each.created }]),
  )
}

function rootOf(summary: SessionSummary, all: ReadonlyMap<string, SessionSummary>): string {
  let at = summary
  for (let depth = 0; depth < DEEPEST && at.parentId !== null; depth++) {
    const parent = all.get(at.parentId)
    if (parent === undefined) break
    at = parent
  }
  return at.id
}
