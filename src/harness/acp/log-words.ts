import { type JsonRecord, recordOf, textOf } from '../json-lines/json-value'
import { oneLine } from '../json-lines/log-line'

/** Fields of a call that say what it is about, most telling first. */
const TELLING = ['command', 'path', 'pattern', 'query', 'url', 'description', 'prompt'] as const

/** What a task's log says of a call: `execute: npm test`. */
export function callWords(update: JsonRecord): string {
  const input = recordOf(update.rawInput) ?? {}
  const telling = TELLING.map((field) => input[field]).find((value) => typeof value === 'string' && value !== '')
  return oneLine(
    `${textOf(update.kind) ?? 'tool'}: ${typeof telling === 'string' ? telling : (textOf(update.title) ?? '')}`,
  )
}

/** Where the CLIs put what a tool answered. */
const TOLD = ['content', 'message', 'output', 'error'] as const

/** And of its answer: the first line. */
export function answerWords(update: JsonRecord): string {
  const output = recordOf(update.rawOutput) ?? {}
  const said =
    (TOLD.map((field) => textOf(output[field])).find((text) => text !== undefined) ?? '').trim().split('\n', 1)[0] ?? ''
  return oneLine(`${update.status === 'failed' ? 'failed' : 'done'}${said === '' ? '' : `: ${said}`}`)
}
