import { defineCommand } from '../../kit/command'
import { machineFields } from '../../views/machine-views'
import { section, taskTable } from '../../views/task/task-views'

export const command = defineCommand({
  summary: 'Show a machine: what it has, its agent CLIs, repositories and tasks',
  args: [{ name: 'NAME', help: "the machine's name", complete: 'machine' }],
  examples: [{ line: 'lode machine show builder', does: 'all that is known of builder' }],
  async run(context, { args: [name = ''] }) {
    const { agent: machine, tasks } = await (await context.client()).agents.get(name)
    context.answer({ machine, tasks }, () => {
      const view = { now: context.io.now(), columns: context.io.columns }
      return machineFields(machine, view.now) + section('tasks', taskTable(tasks, view))
    })
  },
})
