/** Where keys and values stand in a YAML text. Offsets count UTF-16 units. Loads `yaml`: for `lode config set` alone. */
import { isAlias, isCollection, isMap, isScalar, type ParsedNode, parseDocument, visit, type YAMLMap } from 'yaml'

export interface YamlPair {
  name: string
  keyStart: number
  /** Behind the colon; behind the key where there is no colon. */
  colonEnd: number
  hasColon: boolean
  value: ParsedNode | null
  /** The value is an alias (`*a`) of what stands elsewhere. */
  isShared: boolean
  /** Behind the last character of the value; comments are not part of it. */
  end: number
}

export interface YamlMap {
  /** `{a: 1}`, not lines. */
  isFlow: boolean
  start: number
  pairs: YamlPair[]
}

/** @returns `null` for a text without any value */
export function readYamlMap(text: string): YamlMap | null {
  const { contents } = parse(text)
  if (contents === null || (isScalar(contents) && contents.value === null)) return null
  const root = mapOf(contents)
  if (root === null) throw new Error('not a mapping')
  return root
}

/** `null` for a node that is no mapping; an alias of one is none. */
export function mapOf(node: ParsedNode | null): YamlMap | null {
  if (!isMap(node)) return null
  const { items, range, flow } = node as YAMLMap.Parsed
  return {
    isFlow: flow === true,
    start: range[0],
    pairs: items.flatMap(({ key, value, srcToken }) => {
      if (!isScalar(key)) return []
      const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind')
      const colonEnd = colon === undefined ? key.range[1] : colon.offset + 1
      // The library gives no place behind blanks for nothing.
      const isEmpty = value === null || value.range[0] === value.range[1]
      const end = isEmpty ? colonEnd : endOf(value)
      return [
        {
          name: String(key.value),
          keyStart: key.range[0],
          colonEnd,
          hasColon: colon !== undefined,
          value,
          isShared: isAlias(value),
          end,
        },
      ]
    }),
  }
}

/** The library counts comments and blank lines below a block collection as part of it. */
function endOf(node: ParsedNode): number {
  const last = isCollection(node) && !node.flow ? node.items.at(-1) : undefined
  if (last === undefined) return node.range[1]
  if (!('key' in last)) return endOf(last as ParsedNode)
  return Math.max(...[last.key, last.value].map((part) => (part ? endOf(part as ParsedNode) : 0)))
}

/** The text with what each alias (`*a`) stands for in its place. */
export function withoutAliases(text: string): string {
  const document = parse(text)
  const found: { range: [number, number, number]; json: string }[] = []
  visit(document, {
    Alias(_, node) {
      if (!isAlias(node) || !node.range) return
      found.push({ range: node.range, json: JSON.stringify(node.toJS(document, { maxAliasCount: 100 })) })
    },
  })
  return found.reduceRight((changed, { range, json }) => splice(changed, range[0], range[1], json), text)
}

/** @throws the library's first error */
function parse(text: string) {
  // What the reader of settings takes is taken here as well: a key that stands twice, and `<<`.
  const document = parseDocument(text, { keepSourceTokens: true, uniqueKeys: false, merge: true })
  if (document.errors[0] !== undefined) throw document.errors[0]
  return document
}

export const splice = (text: string, from: number, to: number, put: string): string =>
  text.slice(0, from) + put + text.slice(to)

/** Behind the line break of the line that `at` stands in; a place behind a line break is itself one. */
export function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

/** Blanks before a key that begins its line. @throws Error  something else stands before it */
export function indentAt(text: string, at: number): string {
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  if (/[^ ]/.test(before)) throw new Error('the key does not begin its line')
  return before
}
