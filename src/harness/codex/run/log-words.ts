import type { RunEvent } from '../../../domain/harness/harness-run'
import { type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { LOG_LINE_LIMIT, LOG_WORDS_LIMIT, oneLine } from '../../json-lines/log-line'
import { clip } from '../../json-lines/text'

/** What a task's log says of an item of the main thread as it begins. */
export function beginWords(item: JsonRecord): RunEvent[] {
  const words = callOf(item)
  return words === null ? [] : [{ kind: 'tool', text: oneLine(words) }]
}

/** And as it ends. */
export function endWords(item: JsonRecord): RunEvent[] {
  if (item.type === 'agentMessage') {
    const text = clip(textOf(item.text) ?? '', LOG_WORDS_LIMIT).trim()
    return text === '' ? [] : [{ kind: 'text', text }]
  }
  const call = callOf(item)
  if (call === null) return []
  const name = call.split(':', 1)[0] ?? ''
  const isBad = item.status === 'failed' || item.status === 'declined'
  const said = textOf(item.aggregatedOutput) ?? textOf(recordOf(item.error)?.message) ?? ''
  const first = said.trim().split('\n', 1)[0] ?? ''
  return [{ kind: 'tool_result', text: oneLine(`${name}${isBad ? ' failed' : ''}: ${first || 'done'}`) }]
}

/** A call as one line: `Bash: npm test`. `null` = no call. */
function callOf(item: JsonRecord): string | null {
  switch (item.type) {
    case 'commandExecution':
      return `Bash: ${(textOf(item.command) ?? '').slice(0, 4 * LOG_LINE_LIMIT)}`
    case 'fileChange':
      return `Edit: ${listOf(item.changes)
        .slice(0, 10)
        .map((change) => textOf(recordOf(change)?.path) ?? '')
        .join(', ')}`
    case 'mcpToolCall':
      return `${textOf(item.server) ?? 'mcp'}.${textOf(item.tool) ?? 'tool'}`
    case 'webSearch':
      return `WebSearch: ${textOf(item.query) ?? ''}`
    case 'collabAgentToolCall':
    case 'collabToolCall':
      return `Agent: ${textOf(item.prompt) ?? textOf(item.tool) ?? ''}`
    default:
      return null
  }
}
