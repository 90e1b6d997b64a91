import { CARRY_LIMIT } from '../../domain/record/observation'
import { isRecord, textOf, uuidOf } from '../json-lines/json-value'
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
}

const nothing = (): Carry => ({ version: null, hasUsage: false, lastUuid: null, copyUntil: null })

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
    }
  } catch {
    return nothing()
  }
}

/** Characters of a release's name. */
const WORD_LIMIT = 100

export function writeCarry({ version, hasUsage, lastUuid, copyUntil }: Carry): string | null {
  const text = JSON.stringify({
    ...(version !== null && { version: clip(version, WORD_LIMIT) }),
    ...(hasUsage && { hasUsage }),
    ...(lastUuid !== null && { lastUuid }),
    ...(copyUntil !== null && { copyUntil }),
  })
  return text === '{}' || text.length > CARRY_LIMIT ? null : text
}
