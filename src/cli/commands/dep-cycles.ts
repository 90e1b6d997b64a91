import { defineCommand } from '../command'
import { openTracker, SCOPE, sayNotices } from '../issue-call'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Find issues that wait for one another in a circle',
  options: SCOPE,
  examples: [{ line: 'lode dep cycles', does: 'one circle a line; such can only come from elsewhere' }],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const found = await issues.cycles(scope)
    context.answer(found, () => found.cycles.map((ids) => `${oneLine(ids.join(' -> '))}\n`).join(''))
    sayNotices(context, found.notices)
    if (found.cycles.length === 0 && !context.globals.isJson) context.note('no circles.')
  },
})
