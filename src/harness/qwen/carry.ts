import { sha256Hex } from '../../util/crypto'
import { isRecord, textOf } from '../json-lines/json-value'

/** What earlier lines of a file say about later ones. */
export interface Carry {
  /** The last named folder, branch and release: each line names them again. */
  place: string | null
  /** The model of the main thread. */
  model: string | null
  /** The file reports requests by themselves: the tokens that replies name say it a second time. */
  hasRequests: boolean
}

export function readCarry(text: string | null | undefined): Carry {
  try {
    const read: unknown = JSON.parse(text ?? '{}')
    if (isRecord(read))
      return {
        place: textOf(read.place) ?? null,
        model: textOf(read.model) ?? null,
        hasRequests: read.hasRequests === true,
      }
  } catch {
    // What another release kept is of no use.
  }
  return { place: null, model: null, hasRequests: false }
}

export function writeCarry({ place, model, hasRequests }: Carry): string | null {
  if (place === null && model === null && !hasRequests) return null
  return JSON.stringify({
    ...(place !== null && { place }),
    ...(model !== null && { model }),
    ...(hasRequests && { hasRequests }),
  })
}

export const placeKey = (words: readonly (string | undefined)[]): string =>
  sha256Hex(JSON.stringify(words)).slice(0, 16)
