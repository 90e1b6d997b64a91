import { jsonWithin } from '../../json-lines/call-words'
import type { JsonRecord } from '../../json-lines/json-value'
import { isRecord, listOf } from '../../json-lines/json-value'
import { LOG_LINE_LIMIT, oneLine } from '../../json-lines/log-line'
import { resultText } from '../content/content'

/** Fields that say in words what a call is about, most telling first. */
const TELLING = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'path',
  'query',
  'url',
  'subject',
  'description',
  'skill',
  'title',
  'message',
  'prompt',
  'taskId',
  'task_id',
]

/** A call as one line: `Bash: npm test`. */
export function callLine(name: string, input: unknown): string {
  const record = isRecord(input) ? input : {}
  // What an agent is to do is long; what it is called says enough.
  const fields = name === 'Agent' || name === 'Task' ? ['description', ...TELLING] : TELLING
  for (const field of fields) {
    const value = record[field]
    if (typeof value === 'string' && value.trim() !== '')
      return oneLine(`${name}: ${value.slice(0, 4 * LOG_LINE_LIMIT)}`)
  }
  const json = jsonWithin(record, LOG_LINE_LIMIT)
  return oneLine(json === '{}' ? name : `${name}: ${json}`)
}

/**
 * A tool's answer as one line: `Bash: 12 passed`, `Bash failed: Exit code 3`.
 *
 * @param answer  The structured form beside the block, where the CLI gives one: of an agent it has the words without what the CLI
 *                wraps them in for the model.
 */
export function answerLine(name: string, block: JsonRecord, answer: JsonRecord | undefined): string {
  if (answer?.status === 'async_launched') return `${name}: started in the background`
  const isReport = (name === 'Agent' || name === 'Task') && Array.isArray(answer?.content)
  // What comes before the report is the CLI's own.
  const content = isReport ? listOf(answer?.content).slice(-1) : block.content
  const first =
    resultText(content, 4 * LOG_LINE_LIMIT)
      ?.trim()
      .split('\n', 1)[0] ?? ''
  return oneLine(`${name}${block.is_error === true ? ' failed' : ''}: ${first === '' ? 'done' : first}`)
}
