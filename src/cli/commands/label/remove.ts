import { openTracker, SCOPE } from '../../issues/issue-call'
import { answerChanged } from '../../issues/issue-changed'
import { LABEL_ARGS, labelled } from '../../issues/issue-labels'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: 'Remove a label from issues',
  args: LABEL_ARGS,
  options: SCOPE,
  examples: [{ line: 'lode label remove ld-3k9q urgent', does: 'remove the label urgent' }],
  keepsTodosInFile: true,
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    return answerChanged(
      context,
      await labelled(context, args, (id, label) => issues.update(id, { ...scope, removeLabels: [label] })),
    )
  },
})
