import type { EventId, SessionId } from '../../../../domain/ids'
import { overwriteSpans } from '../../../../domain/secrets/mask'
import type { Context } from '../../context'

export interface LineRequest {
  /** A longer line is not read. */
  maxBytes: number
  /** A longer line is read up to `maxBytes` instead. Default: false. */
  isCut?: boolean
  /** Secrets stay as they are: for a person who asked for them, or where the whole answer is masked later. Default: false. */
  isExact?: boolean
}

/**
 * The bytes of an event's line from its journal, with masks for secrets. Masked before anybody cuts it: half of a secret is not known as
 * one. `undefined` = they are not kept, or too many.
 */
export async function readLine(
  session: SessionId,
  id: EventId,
  { maxBytes, isCut = false, isExact = false }: LineRequest,
  { store, mask }: Context,
): Promise<Uint8Array | undefined> {
  const place = await store.events.locate(session, id)
  if (place === undefined || (place.length > maxBytes && !isCut)) return undefined
  const parts: Uint8Array[] = []
  for await (const part of store.journals.read(place.incarnation, place.offset, Math.min(place.length, maxBytes)))
    parts.push(part)
  if (parts.length === 0) return undefined
  const line = Buffer.concat(parts)
  if (isExact) return line
  // The length shows that a line was cut.
  if (place.length > maxBytes) overwriteSpans(line, mask.find(line), '[secret]')
  return place.length > maxBytes ? line : mask.bytes(line)
}
