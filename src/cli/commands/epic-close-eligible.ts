import { defineCommand } from '../command'
import { eachOf, openTracker, SCOPE } from '../issue-call'
import { answerChanged } from '../issue-changed'
import { issueLine } from '../views/issue-views'

export const command = defineCommand({
  summary: 'Close epics whose children are all closed',
  options: { 'dry-run': { kind: 'flag', help: 'only say which' }, ...SCOPE },
  examples: [{ line: 'lode epic close-eligible --dry-run', does: 'which would be closed' }],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const { epics, notices } = await issues.epics(scope)
    const eligible = epics.flatMap(({ epic, isEligibleForClose }) => (isEligibleForClose ? [epic] : []))
    if (eligible.length === 0 && !context.globals.isJson) context.note('no epic has all its children closed.')
    if (options['dry-run']) {
      const answer = { issues: eligible, failures: [], notices }
      context.answer(answer, () => eligible.map((epic) => `${issueLine(epic)}\n`).join(''))
      return undefined
    }
    const ids = eligible.map(({ id }) => id)
    const input = { ...scope, reason: 'All children are closed' }
    return answerChanged(context, await eachOf(context, ids, (id) => issues.close(id, input)))
  },
})
