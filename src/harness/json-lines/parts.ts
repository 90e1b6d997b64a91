import { MOST_PARTS } from '../../domain/record/kept-text'
import { idOf, isRecord, type JsonRecord, listOf, recordOf, textOf } from './json-value'
import { clip } from './text'

/**
 * Messages in parts, as Google's API of models has them: `{text}`, `{text, thought: true}`, `{functionCall}`, `{functionResponse}`,
 * `{inlineData}`, `{fileData}`. Gemini CLI and Qwen Code write them down as they are.
 */

/** The parts of a message: a list, one alone, or a text. */
export function partsOf(content: unknown): JsonRecord[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }]
  if (isRecord(content)) return [content]
  return listOf(content)
    .slice(0, MOST_PARTS)
    .flatMap((part) => (isRecord(part) ? [part] : typeof part === 'string' ? [{ text: part }] : []))
}

export interface PartCall {
  toolUseId: string | undefined
  name: string
  input: unknown
}

/** Characters of a tool's name that are kept. */
const NAME_LIMIT = 200

export const nameOfTool = (name: unknown): string => clip(idOf(name) ?? 'tool', NAME_LIMIT)

/** What a part calls; `undefined` = it is no call. */
export function callIn(part: JsonRecord): PartCall | undefined {
  const call = recordOf(part.functionCall)
  return call === undefined
    ? undefined
    : { toolUseId: idOf(call.id), name: nameOfTool(call.name), input: call.args ?? null }
}

export interface PartAnswer {
  toolUseId: string | undefined
  text: string
  isError: boolean
  /** Images and what else is no text. */
  others: readonly JsonRecord[]
}

/** What a tool answered; `undefined` = the part is no answer. */
export function answerIn(part: JsonRecord): PartAnswer | undefined {
  const answer = recordOf(part.functionResponse)
  if (answer === undefined) return undefined
  const response = recordOf(answer.response)
  const error = response === undefined ? undefined : textOf(response.error)
  const output = response === undefined ? undefined : textOf(response.output)
  return {
    toolUseId: idOf(answer.id),
    text: error ?? output ?? (answer.response === undefined ? '' : (textOf(answer.response) ?? json(answer.response))),
    isError: error !== undefined,
    others: listOf(answer.parts).slice(0, MOST_PARTS).filter(isRecord),
  }
}

/** Characters of an answer of a form that no tool has. */
const ODD_LIMIT = 100_000

function json(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? '').slice(0, ODD_LIMIT)
  } catch {
    return ''
  }
}

export const isThought = (part: JsonRecord): boolean => part.thought === true && typeof part.text === 'string'

/** The words of a part that is no call, answer or thought; `undefined` = it is one of these. */
export function wordsIn(part: JsonRecord): string | undefined {
  if (isThought(part) || isRecord(part.functionCall) || isRecord(part.functionResponse)) return undefined
  if (typeof part.text === 'string') return part.text
  const data = recordOf(part.inlineData) ?? recordOf(part.fileData)
  if (data === undefined) return undefined
  const type = textOf(data.mimeType) ?? 'file'
  return type.startsWith('image/') ? '[image]' : `[${clip(type, 100)}]`
}
