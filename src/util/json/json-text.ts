// The package's main file is a bundle format whose inner files a compiled executable does not find.
import { type Node, type ParseError, parseTree } from 'jsonc-parser/lib/esm/main.js'

/**
 * Changes to a JSON text that leave every other byte as it is: what a person wrote keeps its order, its blanks and its line ends.
 * The text must be valid JSON (`JSON.parse` takes it).
 */
export type JsonNode =
  | { kind: 'object'; start: number; end: number; members: { key: string; start: number; value: JsonNode }[] }
  | { kind: 'array'; start: number; end: number; items: JsonNode[] }
  | { kind: 'scalar'; start: number; end: number }

/** As many levels as are read of an issue's line; what is deeper is a mistake or an attack. */
const MAX_DEPTH = 500

/** Where each value of a valid JSON text stands; `end` is behind its last character. @throws RangeError nested too deeply */
export function scanJson(text: string): JsonNode {
  const root = parseTree(withoutMark(text))
  if (root === undefined) throw new SyntaxError('no JSON value')
  return nodeOf(root, 0)
}

function nodeOf({ type, offset: start, length, children = [] }: Node, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply')
  const end = start + length
  if (type === 'array') return { kind: 'array', start, end, items: children.map((item) => nodeOf(item, depth + 1)) }
  if (type !== 'object') return { kind: 'scalar', start, end }
  const members = children.flatMap(({ offset, children: [key, value] = [] }) =>
    key === undefined || value === undefined
      ? []
      : [{ key: key.value as string, start: offset, value: nodeOf(value, depth + 1) }],
  )
  return { kind: 'object', start, end, members }
}

/** The line, from 1, of the first comment or of the first comma with nothing behind it; `null` = there is none, or the text is broken otherwise. */
export function lineOfExtension(text: string): number | null {
  const plain = withoutMark(text)
  const errors: ParseError[] = []
  parseTree(plain, errors, { allowTrailingComma: true })
  if (errors.length > 0) return null
  parseTree(plain, errors, { disallowComments: true })
  const first = errors[0]
  return first === undefined ? null : plain.slice(0, first.offset).split('\n').length
}

/** A byte-order mark becomes a blank, so that places stay. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, ' ')

interface Part {
  start: number
  end: number
}

function partsOf(node: JsonNode): Part[] {
  if (node.kind === 'object') return node.members.map(({ start, value }) => ({ start, end: value.end }))
  return node.kind === 'array' ? node.items.map(({ start, end }) => ({ start, end })) : []
}

/** The member's value; of a key that stands there twice the last, which is the one that counts. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === 'object' ? node.members.findLast((member) => member.key === key)?.value : undefined
}

/** Adds an item at the end of an array, or (with a key) a member at the end of an object, in the manner of what stands there. */
export function appendTo(text: string, container: JsonNode, value: unknown, key?: string): string {
  const unit = indentUnit(text)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const last = partsOf(container).at(-1)
  const written = (indent: string | null): string => {
    const json = JSON.stringify(value, null, indent === null ? undefined : unit) ?? 'null'
    const body = indent === null ? json : json.replaceAll('\n', newline + indent)
    return key === undefined
      ? body
      : `${JSON.stringify(key)}:${indent === null && !text.includes('": ') ? '' : ' '}${body}`
  }
  if (last !== undefined) {
    const indent = ownIndent(text, last.start)
    const between = indent === null ? (text.includes(', ') ? ', ' : ',') : `,${newline}${indent}`
    return splice(text, last.end, last.end, between + written(indent))
  }
  // Nothing in it: it may stand in a text of one line, or open lines of its own.
  const isOneLine = !text.trim().includes('\n') && text.trim() !== '{}'
  const outer = lineIndent(text, container.start)
  const inner = isOneLine ? written(null) : `${newline}${outer}${unit}${written(outer + unit)}${newline}${outer}`
  return splice(text, container.start + 1, container.end - 1, inner)
}

/** Takes the part at `index` out, with the comma that belonged to it; what was added at the end leaves no trace. */
export function removeAt(text: string, container: JsonNode, index: number): string {
  const parts = partsOf(container)
  const part = parts[index]
  if (part === undefined) return text
  const before = parts[index - 1]
  const after = parts[index + 1]
  if (after === undefined && before === undefined) return splice(text, container.start + 1, container.end - 1, '')
  return after === undefined
    ? splice(text, before?.end ?? part.start, part.end, '')
    : splice(text, part.start, after.start, '')
}

const splice = (text: string, from: number, to: number, put: string) => text.slice(0, from) + put + text.slice(to)

/** Blanks before a part that begins its line; `null` = something else stands before it there. */
function ownIndent(text: string, at: number): string | null {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const before = text.slice(start, at)
  return start > 0 && /^[ \t]*$/.test(before) ? before : null
}

function lineIndent(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? ''
}

/** One step of indentation, as the text has it. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}
