import type { TranscriptCheck } from '../../../domain/harness/harness-live'

/**
 * What the end of a transcript says of a text that was put in, for a caller that can't wait until it is recorded. Loaded by hooks: a leaf.
 */
export const transcriptCheck: TranscriptCheck = {
  isRead(bytes, marker) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = buffer.indexOf(marker); at >= 0; ) {
      const start = buffer.lastIndexOf(0x0a, at) + 1
      const end = buffer.indexOf(0x0a, at)
      // One that is still being written.
      if (end < 0) return false
      const line = parse(buffer.toString('utf8', start, end))
      if (READ_TYPES.includes(line.type) && line.isSidechain !== true) return true
      at = buffer.indexOf(marker, end)
    }
    return false
  },

  isAnsweredSince(bytes, since) {
    let isAsked = false
    for (const text of new TextDecoder().decode(bytes).split('\n').slice(0, -1)) {
      const line = parse(text)
      if (line.isSidechain === true) continue
      if (isAsked && line.type === 'assistant') return true
      isAsked ||= isPrompt(line) && Date.parse(String(line.timestamp)) > since
    }
    return false
  },
}

const READ_TYPES: readonly unknown[] = ['user', 'attachment', 'system']

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
