import type { MergeDecision } from '../../domain/issue/issue-file'
import { isSameJson } from './json-text'
import { own, type Side } from './merge-json'

type Value = Record<string, unknown>

/** They belong together: a side that closed an issue also said when, why and in which session. */
export const STATUS_KEYS: ReadonlySet<string> = new Set(['status', 'closed_at', 'close_reason', 'closed_by_session'])

/**
 * Merges an issue's status with what goes with it. Closed wins over every other, unless the other side reopened it later than
 * this side touched it.
 *
 * @returns the values by key; keys that neither side has are left out
 */
export function mergeStatus(
  base: Value | null,
  ours: Value,
  theirs: Value,
  newer: Side,
  decide: (field: string, taken: MergeDecision['taken'], reason: string) => void,
): Map<string, unknown> {
  const keys = [...STATUS_KEYS].filter((key) => Object.hasOwn(ours, key) || Object.hasOwn(theirs, key))
  const take = (side: Value) => new Map(keys.map((key) => [key, own(side, key)]))
  const isSame = (a: Value, b: Value) => keys.every((key) => isSameJson(group(key, a), group(key, b)))
  if (isSame(ours, theirs)) return new Map(keys.map((key) => [key, own(ours, key) ?? own(theirs, key)]))
  if (base !== null && isSame(ours, base)) return take(theirs)
  if (base !== null && isSame(theirs, base)) return take(ours)

  const [isOursClosed, isTheirsClosed] = [isClosed(ours), isClosed(theirs)]
  if (isOursClosed === isTheirsClosed) {
    const [winner, other] = newer === 'ours' ? [ours, theirs] : [theirs, ours]
    for (const key of keys) {
      if (key === 'closed_at' || isSameJson(group(key, ours), group(key, theirs))) continue
      const said = own(other, key)
      if (said !== undefined && own(winner, key) !== undefined) {
        decide(
          key,
          newer,
          `both changed it and this side is newer; the other side had ${JSON.stringify(said).slice(0, 120)}`,
        )
      }
    }
    // Neither may be taken for a removal: an older writer knew fewer keys.
    return new Map(keys.map((key) => [key, own(winner, key) ?? own(other, key)]))
  }
  const closing: Side = isOursClosed ? 'ours' : 'theirs'
  const opening: Side = isOursClosed ? 'theirs' : 'ours'
  const wasReopened = base !== null && isClosed(base) && newer === opening
  const taken = wasReopened ? opening : closing
  decide('status', taken, wasReopened ? 'it was reopened later' : 'one side closed it')
  return take(taken === 'ours' ? ours : theirs)
}

function isClosed(value: Value): boolean {
  return value.status === 'closed'
}

function group(key: string, value: Value): unknown {
  return own(value, key) || (key === 'status' ? 'open' : undefined)
}
