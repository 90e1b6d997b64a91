import { isRecord, parsedJson, recordOf, textOf } from '../../json-lines/json-value'
import { TextBudget, WHOLE_LIMIT } from '../../json-lines/text'
import { lineOf } from '../history/line-of'
import { addCallWords, answerOf, callIn, callsOf } from '../tools'

/** What a person reads of a line of `events.jsonl`, uncut. `null` = it has no words, or is no line of a conversation. */
export function wholeText(line: Uint8Array): string | null {
  const given = parsedJson(line)
  if (!isRecord(given)) return null
  const record = recordOf(given.data) === undefined ? { ...given, ...lineOf(given) } : given
  const data = recordOf(record.data) ?? {}
  const budget = new TextBudget(WHOLE_LIMIT)
  if (record.type === 'tool.execution_complete') budget.addLine(answerOf(data).text)
  else if (record.type === 'tool.user_requested') addCallWords(budget, callIn(data))
  else {
    const content = textOf(data.content) ?? ''
    const calls = record.type === 'assistant.message' ? callsOf(data) : []
    budget.addLine(content === '' && calls.length === 0 ? (textOf(data.reasoningText) ?? '') : content)
    for (const call of calls) addCallWords(budget, call)
    for (const field of ['message', 'summaryContent', 'summary', 'reason', 'error'])
      if (content === '') budget.addLine(textOf(data[field]) ?? '')
  }
  return budget.take()
}
