import { defineCommand } from '../../kit/command'
import { epicFields } from '../../views/task/epic-views'
import { section, taskTable } from '../../views/task/task-views'

/** Tasks shown with an epic; `lode task list --epic` pages through all. */
const TASKS_SHOWN = 100

export const command = defineCommand({
  summary: 'Show an epic with its newest tasks',
  args: [{ name: 'ID', help: "the epic's ID, or a unique prefix of it", complete: 'epic' }],
  examples: [{ line: 'lode epic show ld-3k9q', does: "the epic's description and tasks" }],
  keepsTodosInFile: true,
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const detail = await client.epics.get(id)
    const { tasks, nextCursor } = await client.tasks.list({
      epicId: detail.epic.id,
      limit: TASKS_SHOWN,
      // The table has no place for them.
      textLimit: context.globals.isJson ? undefined : 0,
    })
    context.answer({ ...detail, tasks }, () => {
      const view = { now: context.io.now(), columns: context.io.columns }
      return (
        epicFields(detail, view.now) +
        section('description', detail.epic.description) +
        section('tasks', taskTable(tasks, view))
      )
    })
    if (nextCursor !== null)
      context.note(`there are more tasks; list them with 'lode task list --epic ${detail.epic.id}'.`)
  },
})
