/**
 * The file's bytes as text and back, without a loss: a byte that is no UTF-8 becomes a lone surrogate (0xDC00 + byte), which no
 * decoder ever makes, and is written as that byte again.
 */
export function decodeFile(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return decodeDamaged(bytes)
  }
}

export function encodeFile(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text)
  const parts: Uint8Array[] = []
  let start = 0
  for (const { index } of text.matchAll(LONE)) {
    parts.push(new TextEncoder().encode(text.slice(start, index)), Uint8Array.of(text.charCodeAt(index) & 0xff))
    start = index + 1
  }
  return Buffer.concat([...parts, new TextEncoder().encode(text.slice(start))])
}

const LONE = /(?<![\ud800-\udbff])[\udc80-\udcff]/g

function decodeDamaged(bytes: Uint8Array): string {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline < 0 ? bytes.length : newline + 1
    const line = bytes.subarray(start, end)
    start = end
    try {
      text += strict.decode(line)
    } catch {
      text += decodeLine(line)
    }
  }
  return text
}

function decodeLine(line: Uint8Array): string {
  let text = ''
  for (let at = 0; at < line.length; ) {
    const length = sequenceLength(line, at)
    if (length === 0) text += String.fromCharCode(0xdc00 + (line[at++] ?? 0))
    else {
      text += new TextDecoder('utf-8', { ignoreBOM: true }).decode(line.subarray(at, at + length))
      at += length
    }
  }
  return text
}

/** Bytes of the character that begins here; 0 = none does. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(at, at + length))
    return at + length <= bytes.length ? length : 0
  } catch {
    return 0
  }
}
