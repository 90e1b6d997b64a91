import { isRecord, parsedJson, textOf } from '../../json-lines/json-value'
import { TextBudget, WHOLE_LIMIT } from '../../json-lines/text'
import { addToolInput } from '../tools/input-text'
import { blocksOf, resultText } from './content'

/** What a person reads of a line of a transcript or stream, uncut. `null` = it has no words, or is no line of a conversation. */
export function wholeText(line: Uint8Array): string | null {
  const record = parsedJson(line)
  if (!isRecord(record)) return null
  // A prompt that came in the middle of a turn stands in an attachment.
  const queued = isRecord(record.attachment) ? record.attachment.prompt : undefined
  const message = isRecord(record.message) ? record.message.content : (queued ?? record.content)
  const budget = new TextBudget(WHOLE_LIMIT)
  for (const part of blocksOf(message)) {
    if (part.kind === 'text' || part.kind === 'thinking') budget.addLine(part.text)
    else if (part.kind === 'call') addToolInput(budget, textOf(part.block.name) ?? 'tool', part.block.input)
    else if (part.kind === 'result') budget.addLine(resultText(part.block.content, WHOLE_LIMIT) ?? '')
    else budget.addLine(`[${part.name}]`)
  }
  return budget.take()
}
