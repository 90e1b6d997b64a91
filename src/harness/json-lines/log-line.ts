import { clip } from './text'

/** Characters of one line of a task's log that stands for a call or an answer. */
export const LOG_LINE_LIMIT = 300
/** Characters of the model's words in a task's log. */
export const LOG_WORDS_LIMIT = 4_000
/** Characters of what a run answers. */
export const RESULT_LIMIT = 200_000

/** A text as one line of a task's log. What is cut ends with an ellipsis. */
export function oneLine(text: string): string {
  const line = text.slice(0, LOG_WORDS_LIMIT).replaceAll(/\s+/g, ' ').trim()
  return line.length > LOG_LINE_LIMIT ? `${clip(line, LOG_LINE_LIMIT - 1)}…` : clip(line, LOG_LINE_LIMIT)
}
