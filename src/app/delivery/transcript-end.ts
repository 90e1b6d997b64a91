/** What the end of a transcript says of a message, for a caller that can't wait until it is recorded. Loaded by hooks: leaves only. */
import type { TranscriptCheck } from '../../domain/harness/harness-live'
import { messageMarker } from '../../domain/message/message'
import type { Offered, OfferPlace } from '../../domain/message/message-offer'
import { defaultHarness, findHarness } from '../../harness/registry'
import { openWindow } from '../../util/files/file-window'

/** Bytes that are searched; what a turn adds is far less. */
const SEARCHED_BYTES = 16 * 1_048_576
/** What a hook says counts within this time of its beginning; the CLI waits no longer. Milliseconds. */
const HOOK_MS = 10_000

/** Whether a line that the receiver reads holds the message's marker. */
export function hasMarker(offer: Offered): boolean {
  const bytes = sinceOffer(offer)
  return bytes !== null && lookOf(offer)?.isRead(bytes, messageMarker(offer.message)) === true
}

/**
 * Whether a person spoke again after an offer of that time (milliseconds), and the model answered, while no line has the marker: then
 * what was offered got lost on its way, though its process lives. A prompt that the person took back is such a case.
 */
export function isOvertaken(offer: Offered, since: number): boolean {
  const bytes = sinceOffer(offer)
  const look = lookOf(offer)
  if (bytes === null || look === null || look.isRead(bytes, messageMarker(offer.message))) return false
  return look.isAnsweredSince(bytes, since + HOOK_MS)
}

function lookOf({ agent }: OfferPlace): TranscriptCheck | null {
  return (agent === undefined ? defaultHarness() : findHarness(agent))?.transcript ?? null
}

/** A file that was rewritten meanwhile, and so is shorter, is read from its beginning. */
function sinceOffer({ transcript, size }: OfferPlace): Uint8Array | null {
  if (transcript === null) return null
  try {
    const file = openWindow(transcript)
    try {
      const start = Math.max(file.size < size ? 0 : size, file.size - SEARCHED_BYTES)
      return file.read(start, file.size - start)
    } finally {
      file.close()
    }
  } catch {
    return null
  }
}
