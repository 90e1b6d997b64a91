import type { SecretSpan } from '../../domain/secrets/find-secrets'
import { maskOf, maskSpans, type SecretMask, secretIdOf } from '../../domain/secrets/mask'
import { secretBetween } from '../../domain/secrets/rules'
import type { SecretMark } from '../../domain/secrets/secret-store'
import { uuidBytes } from '../../util/uuid'
import type { ParsedBytes } from './parsed-bytes'

/** A secret of a block, before the block has its place in the database. */
export type FoundMark = Omit<SecretMark, 'incarnation' | 'session'>

/** A block, parsed as it may be shown. */
export interface ShownBytes extends ParsedBytes {
  /** Secrets in the lines that were parsed, by their places in the journal. */
  secrets: FoundMark[]
}

/** Characters of a secret that a person gets to see, so as to know which one it is. */
export const PREVIEW_LENGTH = 4

/**
 * Parses a block with masks in the place of its secrets, so that nothing that derives from a journal ever holds one: no event, no title, no
 * to-do, no word of the search. Places are those of the bytes as they are.
 *
 * @param offset  where the block begins in its journal
 */
export function parseMasked(
  mask: SecretMask,
  bytes: Uint8Array,
  offset: number,
  parse: (bytes: Uint8Array) => ParsedBytes,
): ShownBytes {
  const spans = mask.find(bytes)
  if (spans.length === 0) return { ...parse(bytes), secrets: [] }
  const parsed = parse(maskSpans(bytes, spans))
  const places = new Places(spans, offset)
  for (const seen of parsed.observations) {
    if (seen.kind === 'event') places.move(seen)
    else if (seen.kind === 'todo' && seen.offset !== undefined) seen.offset = places.of(seen.offset)
  }
  for (const line of parsed.malformed) places.move(line)
  const consumed = places.of(offset + parsed.consumed) - offset
  const whole = spans.filter(({ to }) => to <= consumed)
  return { ...parsed, consumed, secrets: marksOf(bytes, offset, whole, parsed) }
}

/** Where things stand in the bytes as they are, told by where they stand in the masked ones. */
class Places {
  private readonly spans: readonly SecretSpan[]
  private readonly offset: number

  constructor(spans: readonly SecretSpan[], offset: number) {
    this.spans = spans
    this.offset = offset
  }

  /** No place that a parser tells lies within a mask. */
  of(masked: number): number {
    let grown = 0
    for (const { rule, from, to } of this.spans) {
      if (masked - this.offset + grown <= from) break
      grown += to - from - maskOf(rule).length
    }
    return masked + grown
  }

  move(line: { offset: number; length: number }): void {
    const from = this.of(line.offset)
    line.length = this.of(line.offset + line.length) - from
    line.offset = from
  }
}

function marksOf(bytes: Uint8Array, offset: number, spans: readonly SecretSpan[], parsed: ParsedBytes): FoundMark[] {
  const events = parsed.observations.filter((seen) => seen.kind === 'event')
  return spans.map((span) => {
    const at = offset + span.from
    const event = events.find((seen) => seen.offset <= at && at < seen.offset + seen.length)
    return { ...markOf(bytes, span, offset), line: event === undefined ? null : uuidBytes(event.uuid) }
  })
}

/** A mark of a span, without its event. */
export function markOf(bytes: Uint8Array, { rule, from, to }: SecretSpan, offset: number): Omit<FoundMark, 'line'> {
  const secret = bytes.subarray(from, to)
  const shown = secretBetween(rule) === null ? PREVIEW_LENGTH : 0
  const preview = Buffer.from(secret.subarray(0, shown)).toString('latin1')
  return { offset: offset + from, length: to - from, id: secretIdOf(rule, secret), rule, preview }
}
