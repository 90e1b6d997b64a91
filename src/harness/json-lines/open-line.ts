import { CONTENT_BYTES, PARSED_LINE_BYTES } from '../../domain/conversation/line-content'
import { parsedJson } from './json-value'

export interface OpenLine {
  /** The line, or the beginning of one that is too long to be parsed. */
  text: string
  /** What it says; `undefined` = it is no JSON, or too long. */
  value: unknown
  isLong: boolean
}

/** A line that is about to be shown. */
export function openLine(line: Uint8Array): OpenLine {
  const isLong = line.length > PARSED_LINE_BYTES
  const text = new TextDecoder().decode(isLong ? line.subarray(0, CONTENT_BYTES) : line)
  return { text, value: isLong ? undefined : parsedJson(text), isLong }
}
