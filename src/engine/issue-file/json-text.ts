import type { FileStyle } from '../../domain/issue/issue-file'
import { type JsonToken, jsonTokens } from '../../util/json/json-tokens'

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

/** @param text  valid JSON whose first bracket opens an object; blanks and a byte-order mark may stand around it */
export function membersOf(text: string): { open: string; members: Member[]; close: string } {
  const { open, parts, close } = partsOf(text)
  const members = parts.map(({ first, start, end }): Member => {
    const keyText = text.slice(start, first.end)
    const valueText = text.slice(text.indexOf(':', first.end) + 1, end).trim()
    return { key: JSON.parse(keyText) as string, keyText, valueText }
  })
  return { open, members, close }
}

/** The elements' own texts. @param text  valid JSON, an array */
export function elementsOf(text: string): string[] {
  return partsOf(text).parts.map(({ start, end }) => text.slice(start, end))
}

/** What stands between two commas of the outermost object or array; `first` is a member's key. */
interface Part {
  first: JsonToken
  start: number
  end: number
}

function partsOf(text: string): { open: string; parts: Part[]; close: string } {
  const parts: Part[] = []
  let opened = 0
  let depth = 0
  let part: Part | null = null
  for (const token of jsonTokens(text)) {
    if (token.isClose && --depth === 0) {
      if (part !== null) parts.push(part)
      return { open: text.slice(0, opened), parts, close: text.slice(token.start) }
    }
    if (depth === 1 && token.isComma) {
      if (part !== null) parts.push(part)
      part = null
    } else if (depth > 0) {
      part ??= { first: token, start: token.start, end: token.end }
      part.end = token.end
    }
    if (token.isOpen && ++depth === 1) opened = token.end
  }
  return { open: text.slice(0, opened), parts, close: '' }
}

/** More levels than any writer makes; code that walks values by recursion would run out of stack at some. */
const MAX_DEPTH = 500

/** Whether valid JSON has more levels than are read. */
export function isTooDeep(text: string): boolean {
  // Most lines have fewer brackets than that, in strings and outside.
  if (text.length < 2 * MAX_DEPTH || (text.match(/[[{]/g)?.length ?? 0) <= MAX_DEPTH) return false
  let depth = 0
  for (const { isOpen, isClose } of jsonTokens(text)) {
    if (isOpen && ++depth > MAX_DEPTH) return true
    if (isClose) depth--
  }
  return false
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
