import type { JsonRecord } from './json-value'
import { isRecord } from './json-value'
import type { TextBudget } from './text'

/**
 * Writes a call as a person reads it: the name, the telling fields each on a line, then the rest as JSON.
 *
 * @param telling  fields of an input that say in words what a call is about, most telling first
 */
export function addCall(budget: TextBudget, name: string, input: unknown, telling: ReadonlySet<string>): void {
  budget.addLine(name)
  if (!isRecord(input)) {
    if (input !== undefined && input !== null) budget.addLine(jsonWithin(input, budget.room))
    return
  }
  for (const field of telling) {
    const value = input[field]
    if (typeof value === 'string') budget.addLine(value)
  }
  const rest = withoutTelling(input, telling)
  if (rest !== undefined) budget.addLine(jsonWithin(rest, budget.room))
}

const REST_FIELD_LIMIT = 200

function withoutTelling(input: JsonRecord, telling: ReadonlySet<string>): Record<string, unknown> | undefined {
  const rest: [string, unknown][] = []
  for (const field in input) {
    if (telling.has(field) && typeof input[field] === 'string') continue
    rest.push([field, input[field]])
    if (rest.length >= REST_FIELD_LIMIT) break
  }
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

const DEPTH_LIMIT = 12
/** Bytes of a line up to which a value in it is written whole and then cut, which is faster. */
const SMALL_LINE_BYTES = 16_000

/** A value that stands on a line of `lineLength` bytes, as JSON; cut after `room` characters when the line is long. */
export function jsonOfLine(value: unknown, room: number, lineLength: number): string {
  if (lineLength > SMALL_LINE_BYTES) return jsonWithin(value, room)
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return jsonWithin(value, room)
  }
}

/** `value` as JSON, stopped once it has more than `room` characters: an input may be megabytes, or deeper than the stack. */
export function jsonWithin(value: unknown, room: number): string {
  let text = ''
  const write = (part: unknown, depth: number): void => {
    if (text.length > room) return
    if (typeof part === 'string') text += JSON.stringify(part.length > room ? part.slice(0, room + 1) : part)
    else if (typeof part !== 'object' || part === null) text += JSON.stringify(part) ?? 'null'
    else if (depth > DEPTH_LIMIT) text += '…'
    else if (Array.isArray(part)) writeList(part, depth)
    else writeFields(part, depth)
  }
  const writeList = (list: readonly unknown[], depth: number): void => {
    text += '['
    for (let i = 0; i < list.length && text.length <= room; i++) {
      if (i > 0) text += ','
      write(list[i], depth + 1)
    }
    text += ']'
  }
  const writeFields = (record: object, depth: number): void => {
    text += '{'
    let isFirst = true
    for (const key in record) {
      if (text.length > room) break
      text += `${isFirst ? '' : ','}${JSON.stringify(key.slice(0, room + 1))}:`
      isFirst = false
      write((record as Record<string, unknown>)[key], depth + 1)
    }
    text += '}'
  }
  write(value, 0)
  return text
}
