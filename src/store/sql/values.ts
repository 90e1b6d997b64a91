import { AppError } from '../../domain/errors'

/** What a statement may be given, on both databases. JSON travels as text. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null

/**
 * Text as both databases can keep it: NUL (PostgreSQL refuses it, SQLite's functions stop at it) and lone surrogates (neither
 * can encode them) become U+FFFD. Cheap when there is nothing to do. Texts of the record come without NUL already; this is
 * for ids, paths and what people type.
 */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed
}

/** `cleanText`, cut to `limit` UTF-16 units without leaving half a character. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return cleanText(text)
  const last = text.charCodeAt(limit - 1)
  return cleanText(text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit))
}

/**
 * A parameter as a driver takes it: text cleaned, booleans as 0 and 1, integers exact.
 *
 * @throws `invalid`  for a number that is not finite, or an integer that JavaScript or a 64-bit column can't hold exactly.
 */
export function toParameter(value: unknown): string | number | bigint | Uint8Array | null {
  switch (typeof value) {
    case 'string':
      return cleanText(value)
    case 'number':
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) throw inexact(value)
      return value
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) throw inexact(value)
      return value
    case 'boolean':
      return value ? 1 : 0
    case 'undefined':
      return null
    default:
      if (value === null || value instanceof Uint8Array) return value
      throw new AppError('internal', `A statement can't take a value of type ${typeof value}.`)
  }
}

const inexact = (value: number | bigint): AppError =>
  new AppError('invalid', `The number ${value} can't be stored exactly.`, {
    hint: 'Use integers between -(2^53 - 1) and 2^53 - 1.',
  })

/**
 * A 64-bit integer that the database gave, as a number.
 *
 * @throws `internal`  beyond 2^53 - 1: a wrong number would be worse than none.
 */
export function toNumber(value: string | number | bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) {
    throw new AppError('internal', `The database holds the integer ${value}, which is beyond 2^53 - 1.`)
  }
  return number
}

/** Refuses rows with integers beyond 2^53 - 1, which the SQLite driver has rounded by then. */
export function checkIntegers(rows: readonly unknown[]): void {
  for (const row of rows) {
    for (const value of Object.values(row as Record<string, unknown>)) {
      if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) toNumber(value)
    }
  }
}
