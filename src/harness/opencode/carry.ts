import { isRecord, uuidOf } from '../json-lines/json-value'

/** What earlier lines of a journal say about later ones. */
export interface Carry {
  /** The event before: a journal is one chain. */
  lastUuid: string | null
}

export function readCarry(text: string | null | undefined): Carry {
  try {
    const read: unknown = JSON.parse(text ?? 'null')
    return { lastUuid: isRecord(read) ? (uuidOf(read.lastUuid) ?? null) : null }
  } catch {
    return { lastUuid: null }
  }
}

export const writeCarry = ({ lastUuid }: Carry): string | null =>
  lastUuid === null ? null : JSON.stringify({ lastUuid })
