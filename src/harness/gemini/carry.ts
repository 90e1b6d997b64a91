import { CARRY_LIMIT } from '../../domain/record/observation'
import { isRecord, textOf, timeOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'

/** What earlier lines of a file say about later ones. */
export interface Carry {
  /** The model that was named last: it is said again only when it changes. */
  model: string | null
  /** The time of the last line that had one. Milliseconds. */
  at: number | null
  /** Lines that were read: marks of the CLI's that have no id and no time may stand twice. */
  lines: number
}

const NOTHING: Readonly<Carry> = Object.freeze({ model: null, at: null, lines: 0 })

export function readCarry(text: string | null | undefined): Carry {
  if (text === null || text === undefined) return { ...NOTHING }
  try {
    const read: unknown = JSON.parse(text)
    if (!isRecord(read)) return { ...NOTHING }
    return {
      model: textOf(read.model) ?? null,
      at: timeOf(read.at),
      lines: Number.isSafeInteger(read.lines) ? Number(read.lines) : 0,
    }
  } catch {
    return { ...NOTHING }
  }
}

export function writeCarry({ model, at, lines }: Carry): string | null {
  const text = JSON.stringify({
    ...(model !== null && { model: clip(model, 200) }),
    ...(at !== null && { at }),
    ...(lines > 0 && { lines }),
  })
  return text === '{}' || text.length > CARRY_LIMIT ? null : text
}
