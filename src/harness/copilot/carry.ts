import { CARRY_LIMIT } from '../../domain/record/observation'
import { idOf, isRecord, listOf, textOf, uuidOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'

/** What earlier lines of a session say about later ones. */
export interface Carry {
  /** The CLI's release: only the first line names it. */
  version: string | null
  /** The usage of each answer stands in the file, so the sums at a process's end say it a second time. */
  hasUsage: boolean
  /** The event before. */
  lastUuid: string | null
  /** Lines with an older time were copied from the session that this one was forked from. Milliseconds; `null` = none are. */
  copyUntil: number | null
  /** Calls that stand for the sub-agents that they launched, the newest last: their answers do not name these. */
  launches: readonly string[]
}

const nothing = (): Carry => ({ version: null, hasUsage: false, lastUuid: null, copyUntil: null, launches: [] })

export function readCarry(text: string | null | undefined): Carry {
  if (text === null || text === undefined) return nothing()
  try {
    const read: unknown = JSON.parse(text)
    if (!isRecord(read)) return nothing()
    return {
      version: textOf(read.version) ?? null,
      hasUsage: read.hasUsage === true,
      lastUuid: uuidOf(read.lastUuid) ?? null,
      copyUntil: typeof read.copyUntil === 'number' ? read.copyUntil : null,
      launches: listOf(read.launches).flatMap((id) => idOf(id) ?? []),
    }
  } catch {
    return nothing()
  }
}

/** Characters of a release's name. */
const WORD_LIMIT = 100

export function writeCarry(carry: Carry): string | null {
  // The oldest launches give way: all else is needed for every line.
  for (let first = 0; first <= carry.launches.length; first++) {
    const text = textOfCarry({ ...carry, launches: carry.launches.slice(first) })
    if (text.length <= CARRY_LIMIT) return text === '{}' ? null : text
  }
  return null
}

function textOfCarry({ version, hasUsage, lastUuid, copyUntil, launches }: Carry): string {
  return JSON.stringify({
    ...(version !== null && { version: clip(version, WORD_LIMIT) }),
    ...(hasUsage && { hasUsage }),
    ...(lastUuid !== null && { lastUuid }),
    ...(copyUntil !== null && { copyUntil }),
    ...(launches.length > 0 && { launches }),
  })
}
