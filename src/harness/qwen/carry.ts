import { sha256Hex } from '../../util/crypto'
import { isRecord, textOf } from '../json-lines/json-value'

/** What earlier lines of a file say about later ones. */
export interface Carry {
  /** Of the folder, branch and release that were said last: each line says them again. */
  place: string | null
  /** The model of the main thread. */
  model: string | null
}

export function readCarry(text: string | null | undefined): Carry {
  try {
    const read: unknown = JSON.parse(text ?? '{}')
    if (isRecord(read)) return { place: textOf(read.place) ?? null, model: textOf(read.model) ?? null }
  } catch {
    // What another release kept is of no use.
  }
  return { place: null, model: null }
}

export function writeCarry({ place, model }: Carry): string | null {
  if (place === null && model === null) return null
  return JSON.stringify({ ...(place !== null && { place }), ...(model !== null && { model }) })
}

export const placeKey = (words: readonly (string | undefined)[]): string =>
  sha256Hex(JSON.stringify(words)).slice(0, 16)
