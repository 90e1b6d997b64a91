import { openTracker, SCOPE } from '../../issues/issue-call'
import { defined, LABEL_OPTION, listOf, priorityOf } from '../../issues/issue-options'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: 'Create an issue quickly and print only its ID',
  args: [{ name: 'TITLE', help: 'the title; several words are joined', isRepeated: true }],
  options: {
    type: { kind: 'text', short: 't', value: 'TYPE', help: 'the type (default: task)' },
    priority: { kind: 'text', short: 'p', value: 'P', help: 'the priority: 0 to 4 or P0 to P4 (default 2)' },
    labels: { ...LABEL_OPTION, help: 'labels: a or a,b' },
    ...SCOPE,
  },
  examples: [{ line: 'lode issue q Fix the login', does: 'print an ID such as ld-3k9q' }],
  keepsTodosInFile: true,
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    const { priority } = options
    const created = await issues.create({
      ...scope,
      title: args.join(' '),
      ...defined({
        issueType: options.type,
        priority: priority === undefined ? undefined : priorityOf(context, priority),
        labels: listOf(options.labels),
      }),
    })
    context.answer(created, () => `${created.issue.id}\n`)
  },
})
