import type { Observation } from '../../../domain/record/observation'
import type { JsonRecord } from '../../json-lines/json-value'
import { isRecord, parsedJson, recordOf, textOf } from '../../json-lines/json-value'
import { blocksOf } from '../content/content'
import { isAgentTaskId, isShellTaskId } from '../notification'
import type { ToolPlace } from './place'

/**
 * The Read tool's answer to a reader of the output of background work: `{type: "text", file: {filePath, content, startLine, numLines,
 * totalLines}}`. Only files of this very session count, where the CLI alone makes them, read to their end: for a shell whatever stands
 * there, for an agent a transcript that ends with its last words.
 */
export function outputRead(answer: JsonRecord, place: ToolPlace): Observation | undefined {
  const file = recordOf(answer.file)
  const path = textOf(file?.filePath)
  if (!file || path === undefined || place.at === null || !place.sessionId) return undefined
  const [, session, taskId = ''] = OUTPUT.exec(path.slice(-PATH_LIMIT)) ?? []
  if (session !== place.sessionId || !isReadToEnd(file)) return undefined
  const { uuid, at } = place
  if (isShellTaskId(taskId))
    return { kind: 'background', uuid, taskId, taskKind: 'shell', subagentId: null, look: { at, isWhole: false } }
  if (!isAgentTaskId(taskId) || !endsWithLastWords(textOf(file.content) ?? '')) return undefined
  return { kind: 'subagent', uuid, subagentId: taskId, look: { at, isWhole: true } }
}

const OUTPUT = /\/([0-9a-f-]{36})\/tasks\/([\w-]{1,100})\.output$/
const PATH_LIMIT = 300

function isReadToEnd({ startLine, numLines, totalLines }: JsonRecord): boolean {
  return (
    typeof startLine === 'number' &&
    typeof numLines === 'number' &&
    typeof totalLines === 'number' &&
    startLine + numLines > totalLines
  )
}

/** Lines at the end of a transcript among which the last words are looked for: attachments may follow them. */
const LAST_LINES = 5

function endsWithLastWords(content: string): boolean {
  const lines = content.trimEnd().split('\n').slice(-LAST_LINES).reverse()
  for (const line of lines) {
    const record = parsedJson(line)
    if (!isRecord(record)) return false
    if (record.type !== 'assistant') {
      if (record.type === 'user') return false
      continue
    }
    const message = recordOf(record.message)
    return message?.stop_reason === 'end_turn' && blocksOf(message.content).some(({ kind }) => kind === 'text')
  }
  return false
}
