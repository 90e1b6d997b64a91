import type { LineContent } from '../../domain/conversation/line-content'
import type { PartCall } from './parts'
import { TextBudget, WHOLE_LIMIT } from './text'

/** What a person reads of the content of a line, uncut. `null` = it has no words. */
export function wholeTextOf(
  { blocks }: LineContent,
  addCallWords: (budget: TextBudget, call: PartCall) => void,
): string | null {
  const budget = new TextBudget(WHOLE_LIMIT)
  for (const block of blocks) {
    if (block.kind === 'call')
      addCallWords(budget, { toolUseId: block.toolUseId, name: block.name, input: block.input })
    else if (block.kind === 'image') budget.addLine('[image]')
    else if (block.kind !== 'other' && block.kind !== 'patch') budget.addLine(block.text)
  }
  return budget.take()
}
