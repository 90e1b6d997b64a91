import { defineCommand } from '../command'
import { taskText } from '../create-task'
import { usageError } from '../parse-args'
import { answerTask, TASK_ARG } from '../task-move'
import { TASK_OPTIONS, taskFields } from '../task-options'

/** What can be taken back, by the option that sets it. */
const CLEARED = {
  tag: { tags: [] },
  type: { taskType: null },
  dir: { dir: null },
  agent: { agentId: null },
  capability: { requiredCapabilities: [] },
  after: { dependsOn: [] },
  epic: { epicId: null },
  issue: { issueId: null },
  model: { model: null },
  'permission-mode': { permissionMode: null },
  'max-turns': { maxTurns: null },
  'max-cost': { maxCostUsd: null },
  timeout: { timeoutMs: null },
  'not-before': { notBefore: null },
} as const
type Cleared = keyof typeof CLEARED

export const command = defineCommand({
  summary: 'Change a task that has not ended',
  details: 'Lists (--tag, --capability, --after) replace what was there. All that is asked for is changed, or nothing.',
  args: [TASK_ARG],
  options: {
    ...TASK_OPTIONS,
    text: { kind: 'text', value: 'TEXT', help: 'what is to be done; - reads it from stdin' },
    clear: {
      kind: 'text',
      value: 'FIELD',
      choices: Object.keys(CLEARED) as Cleared[],
      isRepeated: true,
      help: `take back what this option set: ${Object.keys(CLEARED).join(', ')}`,
    },
    start: { kind: 'flag', help: 'out of the backlog: a worker may take it' },
  },
  examples: [
    { line: 'lode task edit t-7f3k9q2m --priority 90', does: 'take it sooner' },
    { line: 'lode task edit t-7f3k --clear agent --clear not-before', does: 'any worker may take it, now' },
    { line: 'lode task edit t-7f3k --start', does: 'out of the backlog' },
  ],
  async run(context, { args: [id = ''], options }) {
    if (options.start && options.backlog) throw usageError(context.path)('--start and --backlog exclude one another.')
    const fields = taskFields(options, context.io)
    const cleared = options.clear.map((name) => CLEARED[name as Cleared])
    const change = {
      ...fields,
      task: options.text === undefined ? undefined : await taskText(context, options.text),
      status: options.start ? ('unassigned' as const) : fields.status,
      ...Object.assign({}, ...cleared),
    }
    if (Object.values(change).every((value) => value === undefined))
      throw usageError(context.path)('Nothing was said that should change.')
    const client = await context.client()
    answerTask(context, await client.tasks.patch(id, change))
  },
})
