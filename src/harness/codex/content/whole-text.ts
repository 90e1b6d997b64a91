import { isRecord, parsedJson, textOf } from '../../json-lines/json-value'
import { TextBudget, WHOLE_LIMIT } from '../../json-lines/text'
import { textsOf, thinkingOf } from '../message'
import { addCallWords, answerOf, callOf } from '../tools'

/** What a person reads of a line of a rollout, uncut. `null` = it has no words, or is no line of a conversation. */
export function wholeText(line: Uint8Array): string | null {
  const record = parsedJson(line)
  if (!isRecord(record)) return null
  const payload = isRecord(record.payload) ? record.payload : record
  const budget = new TextBudget(WHOLE_LIMIT)
  const call = callOf(payload)
  const answer = answerOf(payload)
  if (call !== undefined) addCallWords(budget, call)
  else if (answer !== undefined) budget.addLine(answer.text)
  else if (payload.type === 'reasoning') budget.addLine(thinkingOf(payload) || '[thinking]')
  else if (payload.content !== undefined) for (const text of textsOf(payload.content)) budget.addLine(text)
  else budget.addLine(textOf(payload.message) ?? '')
  return budget.take()
}
