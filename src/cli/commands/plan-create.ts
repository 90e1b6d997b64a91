import { defineCommand } from '../command'
import { readPlan } from '../plan-file'
import { planView } from '../views/plan-views'

export const command = defineCommand({
  summary: 'Create several tasks with dependencies between them, all or none',
  details: [
    'FILE is JSON or YAML: a list of tasks, or {title, tasks}. Each task has a `key` of its own and a `task`; `dependsOn` holds keys of',
    'others, or ids of tasks that are there already. All other fields are those of a task: title, agentId, dir, priority and so on.',
    'Tasks run where the command stands unless they name a `dir`.',
  ].join('\n'),
  args: [{ name: 'FILE', help: 'the plan; - reads it from stdin', complete: 'file' }],
  options: {
    title: { kind: 'text', value: 'TEXT', help: "the plan's title; default: the file's, or the first task's" },
    parent: { kind: 'text', value: 'TASK', help: 'the task that they hang under' },
    key: {
      kind: 'text',
      value: 'TEXT',
      help: 'the same key makes the same plan only once: for scripts that may run twice',
    },
  },
  examples: [
    { line: 'lode plan create release.yaml', does: 'its tasks are queued; those that wait for others say so' },
    { line: 'lode plan create - --parent t-7f3k9q2m', does: 'a plan from stdin, under a task' },
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
    if (created.isRepeat) context.note('it was created before: nothing was added.')
  },
})
