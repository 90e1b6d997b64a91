import { isRecord, textOf } from '../../json-lines/json-value'
import { TextBudget, WHOLE_LIMIT } from '../../json-lines/text'
import { type Place, placeOf, wordsOf } from '../place'
import { addToolWords, toolPart } from '../tools'

/** What a person reads of a line of a journal, uncut. `null` = it has no words, or is no line of one. */
export function wholeText(line: Uint8Array): string | null {
  const place = lineOf(line)
  if (place === null) return null
  const budget = new TextBudget(WHOLE_LIMIT)
  const tool = toolPart(place.data, place.id)
  if (tool === null) budget.addLine(wordsOf(place.data) ?? textOf(place.data.title) ?? '')
  else if (tool.status === 'completed' || tool.status === 'error') {
    addToolWords(budget, tool)
    budget.addLine(tool.answer)
  } else addToolWords(budget, tool)
  return budget.take()
}

/** A line alone, of no session. */
export function lineOf(line: Uint8Array): Place | null {
  try {
    const record: unknown = JSON.parse(new TextDecoder().decode(line))
    if (!isRecord(record)) return null
    return placeOf(record, {
      session: '',
      subagentId: null,
      carry: { lastUuid: null, openCalls: [] },
      offset: 0,
      length: line.length,
    })
  } catch {
    return null
  }
}
