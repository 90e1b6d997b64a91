import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Find dependency cycles',
  options: SCOPE,
  examples: [
    { line: 'lode dep cycles', does: 'print one cycle per line; only imported or hand-edited files can contain one' },
  ],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const found = await issues.cycles(scope)
    context.answer(found, () => found.cycles.map((ids) => `${oneLine(ids.join(' -> '))}\n`).join(''))
    printNotices(context, found.notices)
    if (found.cycles.length === 0 && !context.globals.isJson) context.note('no cycles.')
  },
})
