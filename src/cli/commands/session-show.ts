import { defineCommand } from '../command'
import { sessionFields, subagentTable } from '../views/session-views'
import { todoTable } from '../views/todo-views'

export const command = defineCommand({
  summary: 'Show a session with its sub-agents, background tasks and to-dos',
  args: [{ name: 'ID', help: "the session's id, or a unique beginning of it" }],
  examples: [
    { line: 'lode session show 3f2a9c1e', does: 'everything that is known of the session' },
    { line: 'lode session show 3f2a9c1e --json', does: 'the same as {session, subagents, backgroundTasks, todos}' },
  ],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const detail = await client.sessions.get(id)
    context.answer(detail, () => {
      const view = { now: context.io.now(), columns: context.io.columns }
      const parts = [
        ['sub-agents', subagentTable(detail.subagents, view)],
        ['background tasks', subagentTable(detail.backgroundTasks, view)],
        ['to-dos', todoTable(detail.todos, true, view)],
      ] as const
      const sections = parts.filter(([, body]) => body !== '').map(([title, body]) => `\n${title}\n${body}`)
      return sessionFields(detail.session, view.now) + sections.join('')
    })
  },
})
