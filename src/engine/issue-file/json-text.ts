import type { FileStyle } from '../../domain/issue-file'

/**
 * JSON as text: what a file's writer wrote is kept as it is, and what is new is written the way that writer would have.
 */

/** One `"key": value` of an object, with its bytes. */
export interface Member {
  key: string
  /** Quotes included. */
  keyText: string
  valueText: string
}

/** A JSON object or array taken apart: `open`, then the parts with what stood between them, then `close`. */
interface Parts {
  /** Up to and with the bracket. */
  open: string
  parts: string[]
  /** From the bracket on. */
  close: string
}

/** @param text  valid JSON whose first bracket opens an object; blanks and a byte-order mark may stand around it */
export function membersOf(text: string): { open: string; members: Member[]; close: string } {
  const { open, parts, close } = partsOf(text)
  const members = parts.map((part): Member => {
    const end = stringEnd(part, 0)
    const keyText = part.slice(0, end)
    return { key: JSON.parse(keyText) as string, keyText, valueText: part.slice(part.indexOf(':', end) + 1).trim() }
  })
  return { open, members, close }
}

/** The elements' own texts. @param text  valid JSON, an array */
export function elementsOf(text: string): string[] {
  return partsOf(text).parts
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c

function partsOf(text: string): Parts {
  const start = firstBracket(text)
  const parts: string[] = []
  let depth = 0
  let begin = start + 1
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at) - 1
    else if (code === 0x7b || code === 0x5b) depth++
    else if (code === 0x7d || code === 0x5d) {
      if (--depth > 0) continue
      const last = text.slice(begin, at).trim()
      if (last !== '') parts.push(last)
      return { open: text.slice(0, start + 1), parts, close: text.slice(at) }
    } else if (code === COMMA && depth === 1) {
      parts.push(text.slice(begin, at).trim())
      begin = at + 1
    }
  }
  return { open: text.slice(0, start + 1), parts, close: '' }
}

function firstBracket(text: string): number {
  const object = text.indexOf('{')
  const array = text.indexOf('[')
  return object < 0 || (array >= 0 && array < object) ? array : object
}

/** More levels than any writer makes; code that walks values by recursion would run out of stack at some. */
const MAX_DEPTH = 500

/** Whether valid JSON has more levels than are read. */
export function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at) - 1
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/** Just after the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at + 1
  }
  return text.length
}

type Spelling = Pick<FileStyle, 'escapesHtml' | 'isSpaced'>

/** Go's encoder escapes these five, whatever stands around them. */
const ESCAPES: Record<string, string> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** A value as the file's writer would spell it. Keys keep their order; what is `undefined` is left out. */
export function jsonText(value: unknown, style: Spelling): string {
  const text = style.isSpaced ? spaced(value) : (JSON.stringify(value) ?? 'null')
  return style.escapesHtml ? text.replace(/[<>&\u2028\u2029]/g, (one) => ESCAPES[one] ?? one) : text
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, one]) => one !== undefined)
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`).join(', ')}}`
}

/** Puts an object together again; members that were there keep their bytes. */
export function objectText(members: readonly Member[], style: Spelling): string {
  const [colon, comma] = style.isSpaced ? [': ', ', '] : [':', ',']
  return `{${members.map(({ keyText, valueText }) => `${keyText}${colon}${valueText}`).join(comma)}}`
}

export function arrayText(elements: readonly string[], style: Spelling): string {
  return `[${elements.join(style.isSpaced ? ', ' : ',')}]`
}

export function member(key: string, value: unknown, style: Spelling): Member {
  return { key, keyText: jsonText(key, style), valueText: jsonText(value, style) }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether two JSON values mean the same; the order of keys doesn't count. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, i) => isSameJson(one, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
}
