/** What the end of a transcript says of a message, for who can't wait until it is recorded. Loaded by hooks: leaves only. */
import { messageMarker } from '../domain/message'
import type { Offer } from '../domain/message-offer'
import { openWindow } from '../util/file-window'

/** Bytes that are searched; what a turn adds is far less. */
const SEARCHED_BYTES = 16 * 1_048_576
/** What a hook says counts within this time of its beginning; the CLI waits no longer. Milliseconds. */
const HOOK_MS = 10_000

/**
 * Whether a line that the receiver reads holds the message's marker: what is only queued proves nothing, and the model may repeat one.
 */
export function hasMarker(offer: Offer): boolean {
  const marker = messageMarker(offer.message)
  const bytes = sinceOffer(offer)
  for (let at = bytes?.indexOf(marker) ?? -1; bytes !== null && at >= 0; ) {
    const start = bytes.lastIndexOf(0x0a, at) + 1
    const end = bytes.indexOf(0x0a, at)
    // One that is still being written.
    if (end < 0) return false
    if (isRead(parse(bytes.toString('utf8', start, end)))) return true
    at = bytes.indexOf(marker, end)
  }
  return false
}

const READ_TYPES: readonly unknown[] = ['user', 'attachment', 'system']

const isRead = (line: Line): boolean => READ_TYPES.includes(line.type) && line.isSidechain !== true

/**
 * Whether a person spoke again after an offer of that time (milliseconds), and the model answered, while no line has the marker: then
 * what was offered got lost on its way, though its process lives. A prompt that the person took back is such a case.
 */
export function isOvertaken(offer: Offer, since: number): boolean {
  if (offer.transcript === null || hasMarker(offer)) return false
  let isAsked = false
  for (const text of sinceOffer(offer)?.toString('utf8').split('\n').slice(0, -1) ?? []) {
    const line = parse(text)
    if (line.isSidechain === true) continue
    if (isAsked && line.type === 'assistant') return true
    isAsked ||= isPrompt(line) && Date.parse(String(line.timestamp)) > since + HOOK_MS
  }
  return false
}

/** What a person says; answers of tools and what the CLI adds are lines of the same type. */
function isPrompt({ type, isMeta, message, toolUseResult }: Line): boolean {
  if (type !== 'user' || isMeta === true || toolUseResult !== undefined) return false
  const { content } = (message ?? {}) as { content?: unknown }
  if (typeof content === 'string') return !content.startsWith('<')
  return Array.isArray(content) && content.every((block) => (block as { type?: unknown } | null)?.type === 'text')
}

type Line = Record<string, unknown>

function parse(text: string): Line {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? (line as Line) : {}
  } catch {
    return {}
  }
}

/** A file that was rewritten meanwhile, and so is shorter, is read from its beginning. */
function sinceOffer({ transcript, size }: Offer): Buffer | null {
  if (transcript === null) return null
  try {
    const file = openWindow(transcript)
    try {
      const start = Math.max(file.size < size ? 0 : size, file.size - SEARCHED_BYTES)
      const { buffer, byteOffset, byteLength } = file.read(start, file.size - start)
      return Buffer.from(buffer, byteOffset, byteLength)
    } finally {
      file.close()
    }
  } catch {
    return null
  }
}
