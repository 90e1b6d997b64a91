import { MOST_PARTS } from '../../domain/record/kept-text'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, isRecord, listOf, recordOf, textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'

/** A call of a tool. */
export interface Call {
  toolUseId: string | undefined
  name: string
  input: unknown
}

/** A message's content, part by part. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | ({ kind: 'call' } & Call)
  | { kind: 'image'; mediaType: string; base64: string }
  | { kind: 'other'; name: string; value: unknown }

export function partsOf(content: unknown): Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  return listOf(content)
    .slice(0, MOST_PARTS)
    .flatMap((part) => (isRecord(part) ? [partOf(part)] : []))
}

function partOf(part: JsonRecord): Part {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: textOf(part.text) ?? '' }
    case 'thinking':
      return { kind: 'thinking', text: textOf(part.thinking) ?? '' }
    case 'toolCall':
      return {
        kind: 'call',
        toolUseId: idOf(part.id),
        name: clip(idOf(part.name) ?? 'tool', 200),
        input: part.arguments,
      }
    case 'image':
      return { kind: 'image', mediaType: textOf(part.mimeType) ?? '', base64: textOf(part.data) ?? '' }
    default:
      return { kind: 'other', name: clip(textOf(part.type) ?? 'part', 100), value: part }
  }
}

/** What a person reads of content without calls. */
export const wordsOf = (content: unknown): string =>
  partsOf(content)
    .map((part) =>
      part.kind === 'text' || part.kind === 'thinking'
        ? part.text
        : `[${part.kind === 'other' ? part.name : part.kind}]`,
    )
    .filter((text) => text !== '')
    .join('\n')

/** The prompt and the tools that the model was given, or what changed of them. */
export function systemWords(message: JsonRecord): string {
  const sections = Object.values(recordOf(message.sections) ?? {}).filter((text) => typeof text === 'string')
  const names = (list: unknown): string =>
    listOf(list)
      .flatMap((tool) => (isRecord(tool) ? (idOf(tool.name) ?? []) : []))
      .join(', ')
  const [added, removed] = [names(message.toolsAdded), names(message.toolsRemoved)]
  return [
    wordsOf(message.content),
    ...sections,
    ...(added === '' ? [] : [`Tools added: ${added}`]),
    ...(removed === '' ? [] : [`Tools removed: ${removed}`]),
  ]
    .filter((text) => text !== '')
    .join('\n')
}

/** A command that a person ran beside the conversation. */
export const bashWords = (message: JsonRecord): string =>
  `$ ${textOf(message.command) ?? ''}\n${textOf(message.output) ?? ''}`
