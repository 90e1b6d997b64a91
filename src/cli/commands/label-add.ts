import { defineCommand } from '../command'
import { openTracker, SCOPE } from '../issue-call'
import { answerChanged } from '../issue-changed'
import { LABEL_ARGS, labelled } from '../issue-labels'

export const command = defineCommand({
  summary: 'Add a label to issues',
  args: LABEL_ARGS,
  options: SCOPE,
  examples: [{ line: 'lode label add ld-3k9q ld-7f2a urgent', does: 'both are urgent' }],
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    return answerChanged(
      context,
      await labelled(context, args, (id, label) => issues.update(id, { ...scope, addLabels: [label] })),
    )
  },
})
