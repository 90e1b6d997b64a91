import { isObject, isSameJson } from './json-text'

export type Side = 'ours' | 'theirs'

/**
 * Three-way merge of plain JSON values: what one side changed counts; objects merge by key, lists of plain values as sets; where both
 * changed the same, the newer side counts. `undefined` = absent, and what is there is kept against a removal.
 */
export function mergeJson(base: unknown, ours: unknown, theirs: unknown, newer: Side): unknown {
  if (isSameJson(ours, theirs)) return ours
  if (base !== undefined) {
    if (isSameJson(ours, base)) return theirs
    if (isSameJson(theirs, base)) return ours
  }
  if (ours === undefined || theirs === undefined) return ours ?? theirs
  if (isObject(ours) && isObject(theirs)) {
    const was = isObject(base) ? base : {}
    const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    const merged = keys.map((key) => [key, mergeJson(own(was, key), own(ours, key), own(theirs, key), newer)] as const)
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined))
  }
  if (isPlainList(ours) && isPlainList(theirs)) {
    const was = new Set(isPlainList(base) ? base : [])
    const kept = ours.filter((one) => theirs.includes(one) || !was.has(one))
    return [...kept, ...theirs.filter((one) => !ours.includes(one) && !was.has(one))]
  }
  return newer === 'ours' ? ours : theirs
}

export function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function isPlainList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)
}
