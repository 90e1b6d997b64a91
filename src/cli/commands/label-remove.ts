import { defineCommand } from '../command'
import { openTracker, SCOPE } from '../issue-call'
import { answerChanged } from '../issue-changed'
import { LABEL_ARGS, labelled } from '../issue-labels'

export const command = defineCommand({
  summary: 'Take a label away from issues',
  args: LABEL_ARGS,
  options: SCOPE,
  examples: [{ line: 'lode label remove ld-3k9q urgent', does: 'urgent no longer' }],
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    return answerChanged(
      context,
      await labelled(context, args, (id, label) => issues.update(id, { ...scope, removeLabels: [label] })),
    )
  },
})
