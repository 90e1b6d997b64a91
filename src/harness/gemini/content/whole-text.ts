import { TextBudget } from '../../json-lines/text'
import { addCallWords } from '../tools'
import { readLineContent } from './line-content'

/** Characters of one line's text. */
const WHOLE_LIMIT = 4_000_000

/** What a person reads of a line, or a part of one, uncut. `null` = it has no words. */
export function wholeText(line: Uint8Array): string | null {
  const budget = new TextBudget(WHOLE_LIMIT)
  for (const block of readLineContent(line).blocks) {
    if (block.kind === 'call')
      addCallWords(budget, { toolUseId: block.toolUseId, name: block.name, input: block.input })
    else if (block.kind === 'image') budget.addLine('[image]')
    else if (block.kind !== 'other' && block.kind !== 'patch') budget.addLine(block.text)
  }
  return budget.take()
}
