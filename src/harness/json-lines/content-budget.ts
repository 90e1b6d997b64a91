import { CONTENT_BYTES } from '../../domain/conversation/line-content'
import { isRecord } from './json-value'

/** Levels of a value: real ones have a few, and writing thousands as JSON again takes seconds, or can't be done. */
export const DEPTH_LIMIT = 100

/** Bytes that a value takes beside its words: quotes, comma, colon. */
const PUNCTUATION = 4

/** Counts the bytes of JSON that an answer takes, and cuts what goes beyond. */
export class ContentBudget {
  private room: number
  isCut = false

  constructor(bytes = CONTENT_BYTES) {
    this.room = bytes
  }

  /** Takes room for something of a fixed size. */
  take(bytes: number): boolean {
    if (bytes > this.room) {
      this.isCut = true
      return false
    }
    this.room -= bytes
    return true
  }

  /** As much of a text as fits. */
  text(text: string): string {
    const { kept, bytes } = measure(text, Math.max(0, this.room - PUNCTUATION))
    this.room = Math.max(0, this.room - bytes - PUNCTUATION)
    if (kept === text.length) return text
    this.isCut = true
    return text.slice(0, kept)
  }

  /** Lines as far as they fit. */
  lines(lines: readonly string[]): string[] {
    const kept: string[] = []
    for (const line of lines) {
      if (this.room <= PUNCTUATION) {
        this.isCut = true
        break
      }
      kept.push(this.text(line))
    }
    return kept
  }

  /** As much of a JSON value as fits: texts are cut, and what follows is left out. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return this.take(24) ? value : null
    if (depth >= DEPTH_LIMIT) {
      this.isCut = true
      return null
    }
    this.take(2)
    if (Array.isArray(value)) return this.list(value, depth)
    return isRecord(value) ? this.record(value, depth) : null
  }

  private list(list: readonly unknown[], depth: number): unknown[] {
    const kept: unknown[] = []
    for (const value of list) {
      if (!this.take(1)) break
      kept.push(this.value(value, depth + 1))
    }
    return kept
  }

  /** `fromEntries` defines fields: a field `__proto__` stays one. */
  private record(record: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
    const kept: [string, unknown][] = []
    for (const [name, value] of Object.entries(record)) {
      if (!this.take(measure(name, Number.POSITIVE_INFINITY).bytes + PUNCTUATION)) break
      kept.push([name, this.value(value, depth + 1)])
    }
    return Object.fromEntries(kept)
  }
}

/** How many characters of `text` fit into `room` bytes as a text of JSON, and the bytes that they take. Pairs stay together. */
function measure(text: string, room: number): { kept: number; bytes: number } {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isPair = code >= 0xd800 && code < 0xdc00 && isLow(text.charCodeAt(at + 1))
    const size = isPair ? 4 : sizeOf(code)
    if (bytes + size > room) return { kept: at, bytes }
    bytes += size
    if (isPair) at++
  }
  return { kept: text.length, bytes }
}

const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000

/** `\b`, `\t`, `\n`, `\f` and `\r`. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([8, 9, 10, 12, 13])

function sizeOf(code: number): number {
  if (code < 0x20) return SHORT_ESCAPES.has(code) ? 2 : 6
  if (code === 0x22 || code === 0x5c) return 2
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  // Half of a pair is written as an escape.
  return code >= 0xd800 && code < 0xe000 ? 6 : 3
}
