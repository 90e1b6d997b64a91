/** Readers of untrusted JSON: each gives the value when it has the shape asked for, else `undefined` (or `null` where said). */

/** A JSON object. Keys are looked up by name only, so `__proto__` and its like are never followed. */
export type JsonRecord = { readonly [key: string]: unknown }

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a line or a document says; `undefined` = it is no JSON. */
export function parsedJson(json: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder().decode(json))
  } catch {
    return undefined
  }
}

export const recordOf = (value: unknown): JsonRecord | undefined => (isRecord(value) ? value : undefined)

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Longest id that is taken for one: real ones have under 70 characters, and ids become database keys. */
export const ID_LIMIT = 200

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it keeps out
const NOT_IN_AN_ID = /[\u0000-\u001f\u007f\ud800-\udfff]/

/** A non-empty id without control characters, at most `ID_LIMIT` characters; numbers are written out. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || text.length === 0 || text.length > ID_LIMIT || NOT_IN_AN_ID.test(text))
    return undefined
  return text
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UUID_IN_ANY_CASE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A uuid in canonical lower-case form. */
export function uuidOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length !== 36) return undefined
  if (UUID.test(value)) return value
  return UUID_IN_ANY_CASE.test(value) ? value.toLowerCase() : undefined
}

/** A count: a finite number from 0 to 2^53 − 1, rounded down; anything else is 0. */
export function countOf(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0)) return 0
  return value >= Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Math.floor(value)
}

const EARLIEST = Date.UTC(2020, 0)
const LATEST = Date.UTC(2200, 0)

/** Milliseconds since the epoch from an ISO 8601 text or a number of milliseconds, between 2020 and 2200; else `null`. */
export function timeOf(value: unknown): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  if (typeof value === 'string' && value.length > 40) return null
  const at = typeof value === 'number' ? Math.floor(value) : Date.parse(value)
  return at >= EARLIEST && at < LATEST ? at : null
}
