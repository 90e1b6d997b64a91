import { defineCommand } from '../command'
import { oneLine } from '../text'
import { todoTable } from '../views/todo-views'
import { listRows, PAGING } from './paging'

export const command = defineCommand({
  summary: "List the agents' own to-dos",
  options: {
    session: { kind: 'text', short: 's', value: 'ID', help: 'only this session' },
    subagent: { kind: 'text', value: 'ID', help: "only this sub-agent's; 'null' = the main thread's" },
    removed: { kind: 'flag', help: 'also those that vanished from their list' },
    ...PAGING,
  },
  examples: [
    { line: 'lode todo list --session 3f2a9c1e', does: 'the to-dos of a session and its sub-agents' },
    { line: 'lode todo list --all --json', does: 'all to-dos there are, as {todos, nextCursor}' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const { rows: todos, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.todos.list({
        limit,
        cursor,
        sessionId: options.session,
        subagentId: options.subagent === 'null' ? null : options.subagent,
        includeRemoved: options.removed || undefined,
      })
      return { rows: page.todos, nextCursor: page.nextCursor }
    })
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer({ todos, nextCursor }, () => todoTable(todos, options.session !== undefined, view))
    if (context.globals.isJson) return
    if (todos.length === 0) context.note('no to-dos.')
    if (nextCursor !== null) context.note(`there are more: --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
