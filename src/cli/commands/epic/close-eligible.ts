import { eachOf, openTracker, SCOPE } from '../../issues/issue-call'
import { answerChanged } from '../../issues/issue-changed'
import { defineCommand } from '../../kit/command'
import { issueLine } from '../../views/issue-views'

export const command = defineCommand({
  summary: 'Close epics whose children are all closed',
  options: { 'dry-run': { kind: 'flag', help: 'list the epics without closing them' }, ...SCOPE },
  examples: [{ line: 'lode epic close-eligible --dry-run', does: 'list the epics that would be closed' }],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const { epics, notices } = await issues.epics(scope)
    const eligible = epics.flatMap(({ epic, isEligibleForClose }) => (isEligibleForClose ? [epic] : []))
    if (eligible.length === 0 && !context.globals.isJson) context.note('no open epic has all its children closed.')
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
