import { isRecord, type JsonRecord, parsedJson, recordOf, textOf } from '../../json-lines/json-value'
import { TextBudget, WHOLE_LIMIT } from '../../json-lines/text'
import { entryWords } from '../entry-words'
import { bashWords, partsOf, systemWords } from '../parts'
import { addCallWords } from '../tools'

/** What a person reads of a line of a session's file, uncut. `null` = it has no words, or is no line of a conversation. */
export function wholeText(line: Uint8Array): string | null {
  const record = parsedJson(line)
  if (!isRecord(record)) return null
  const budget = new TextBudget(WHOLE_LIMIT)
  const message = record.type === 'message' ? recordOf(record.message) : undefined
  if (message === undefined) budget.addLine(entryWords({ type: textOf(record.type) ?? '', record }))
  else addMessage(budget, message)
  return budget.take()
}

function addMessage(budget: TextBudget, message: JsonRecord): void {
  if (message.role === 'system') budget.addLine(systemWords(message))
  else if (message.role === 'bashExecution') budget.addLine(bashWords(message))
  else if (message.content === undefined) budget.addLine(textOf(message.summary) ?? '')
  else
    for (const part of partsOf(message.content)) {
      if (part.kind === 'call') addCallWords(budget, part)
      else if (part.kind === 'text') budget.addLine(part.text)
      else if (part.kind === 'thinking') budget.addLine(part.text || '[thinking]')
      else budget.addLine(`[${part.kind === 'other' ? part.name : part.kind}]`)
    }
  budget.addLine(textOf(message.errorMessage) ?? '')
}
