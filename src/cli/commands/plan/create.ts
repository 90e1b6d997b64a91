import { defineCommand } from '../../kit/command'
import { readPlan } from '../../tasks/plan-file'
import { planView } from '../../views/task/plan-views'

export const command = defineCommand({
  summary: 'Create several tasks with dependencies between them, all or none',
  details: [
    'FILE is JSON or YAML: a list of tasks, or {title, tasks}. Each task has a unique `key` and a `task` text. `dependsOn` lists keys',
    'of other tasks in the plan, or IDs of existing tasks. All other task fields are allowed: title, agentId, dir, priority and so on.',
    'Tasks without a `dir` run in the current folder.',
  ].join('\n'),
  args: [{ name: 'FILE', help: 'the plan; - reads it from stdin', complete: 'file' }],
  options: {
    title: { kind: 'text', value: 'TEXT', help: "the plan's title (default: the file's title, or the first task's)" },
    parent: { kind: 'text', value: 'TASK', complete: 'task', help: 'the parent task of all tasks in the plan' },
    key: {
      kind: 'text',
      value: 'TEXT',
      help: 'idempotency key: the same key creates the plan only once',
    },
  },
  examples: [
    { line: 'lode plan create release.yaml', does: 'queue the tasks; each shows what it waits for' },
    { line: 'lode plan create - --parent t-7f3k9q2m', does: 'read a plan from stdin and create it under a task' },
  ],
  async run(context, { args: [file = ''], options }) {
    const { client, isRemote } = await context.connection()
    const { title, parent, key } = options
    const above = parent === undefined ? undefined : (await client.tasks.get(parent)).task.id
    const plan = await readPlan(context, file, isRemote || parent !== undefined ? undefined : context.io.cwd)
    const created = await client.plans.create(
      { ...plan, ...(title !== undefined && { title }), ...(above !== undefined && { parentTaskId: above }) },
      key === undefined ? {} : { idempotencyKey: key },
    )
    context.answer(created, () => planView(created, { now: context.io.now(), columns: context.io.columns }))
    if (created.isRepeat) context.note('this plan already exists; nothing was added.')
  },
})
