import type { Observation } from '../../domain/record/observation'
import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../json-lines/json-value'
import { partsOf, wordsIn } from '../json-lines/parts'
import { titleOf } from '../json-lines/text'
import { activity, eventOf, type Line } from './line'
import { usageOf } from './usage'

/** Adds what a line of the CLI about itself says. Most are for its own screen, and say nothing of the conversation. */
export function readSystem(into: Observation[], line: Line): void {
  const payload = recordOf(line.record.systemPayload) ?? {}
  switch (line.record.subtype) {
    case 'ui_telemetry':
      readTelemetry(into, line, recordOf(payload.uiEvent) ?? {})
      return
    case 'chat_compression':
      into.push(eventOf(line, 'compaction', summaryIn(payload)))
      return
    case 'rewind':
      into.push(eventOf(line, 'system', 'The conversation was taken back.'))
      return
    case 'custom_title':
      readTitle(into, line, payload)
      return
    default:
      return
  }
}

function readTelemetry(into: Observation[], line: Line, event: JsonRecord): void {
  if (line.isCopied) return
  if (event['event.name'] === 'qwen-code.api_response') {
    const usage = usageOf(line, event)
    if (usage === undefined) return
    line.carry.hasRequests = true
    into.push(usage)
  } else if (event['event.name'] === 'qwen-code.api_error') {
    into.push(eventOf(line, 'error', textOf(event.error_message) ?? 'The request to the model failed.'))
    into.push(...activity(line, 'idle', 'api_error'))
  }
}

/** What the model gets in the place of the conversation: a first message with the summary. */
function summaryIn(payload: JsonRecord): string {
  const [first] = listOf(payload.compressedHistory)
  const words = isRecord(first) ? partsOf(first.parts).flatMap((part) => wordsIn(part) ?? []) : []
  return words.join('\n') || 'The conversation was compacted.'
}

function readTitle(into: Observation[], { at, subagentId }: Line, payload: JsonRecord): void {
  const text = titleOf(textOf(payload.customTitle) ?? '')
  if (text === undefined || subagentId !== null) return
  const source = payload.titleSource === 'manual' ? ('person' as const) : ('agent' as const)
  into.push({ kind: 'session', uuid: null, at, title: { text, source } })
}
