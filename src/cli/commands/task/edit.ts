import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { taskText } from '../../tasks/create-task'
import { answerTask, TASK_ARG } from '../../tasks/task-move'
import { CLEARED, TASK_OPTIONS, taskFields } from '../../tasks/task-options'
import { noteUnknownClis } from '../../tasks/unknown-clis'

export const command = defineCommand({
  summary: 'Change an unfinished task',
  details: 'Lists (--tag, --capability, --after) replace the previous values. Either all changes are made or none.',
  args: [TASK_ARG],
  options: {
    ...TASK_OPTIONS,
    text: { kind: 'text', value: 'TEXT', help: 'what to do; - reads it from stdin' },
    clear: {
      kind: 'text',
      value: 'FIELD',
      choices: Object.keys(CLEARED),
      isRepeated: true,
      help: `clear what this option set: ${Object.keys(CLEARED).join(', ')}`,
    },
    start: { kind: 'flag', help: 'move it out of the backlog so that a worker may take it' },
  },
  examples: [
    { line: 'lode task edit t-7f3k9q2m --priority 90', does: 'raise its priority' },
    { line: 'lode task edit t-7f3k --clear assign --clear not-before', does: 'let any worker take it now' },
    { line: 'lode task edit t-7f3k --start', does: 'move it out of the backlog' },
  ],
  async run(context, { args: [id = ''], options }) {
    if (options.start && options.backlog) throw usageError(context.path)('Use either --start or --backlog, not both.')
    const fields = taskFields(options, context.io)
    await noteUnknownClis(context, fields.agentClis)
    const cleared = options.clear.map((name) => CLEARED[name])
    const change = {
      ...fields,
      task: options.text === undefined ? undefined : await taskText(context, options.text),
      status: options.start ? ('unassigned' as const) : fields.status,
      ...Object.assign({}, ...cleared),
    }
    if (Object.values(change).every((value) => value === undefined))
      throw usageError(context.path)('Pass at least one field to change.')
    const client = await context.client()
    answerTask(context, await client.tasks.patch(id, change))
  },
})
