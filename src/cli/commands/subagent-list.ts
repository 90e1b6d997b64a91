import { defineCommand } from '../command'
import { usageError } from '../parse-args'
import { oneLine } from '../text'
import { subagentTable } from '../views/session-views'
import { listRows, PAGING } from './paging'

export const command = defineCommand({
  summary: "List a session's sub-agents at all depths",
  options: {
    session: { kind: 'text', short: 's', value: 'ID', help: 'the session (required)' },
    background: { kind: 'flag', short: 'b', help: 'background shells and monitors too' },
    ...PAGING,
  },
  examples: [
    { line: 'lode subagent list --session 3f2a9c1e', does: 'its sub-agents, with status, depth and tokens' },
    {
      line: 'lode subagent list -s 3f2a9c1e --background --json',
      does: 'background work too, as {subagents, nextCursor}',
    },
  ],
  async run(context, { options }) {
    const session = options.session
    if (session === undefined) throw usageError(context.path)('--session ID is missing.')
    const client = await context.client()
    const { rows: subagents, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const kinds = options.background ? (['agent', 'shell', 'monitor'] as const) : (['agent'] as const)
      const page = await client.subagents.list({ limit, cursor, sessionId: session, kinds: [...kinds] })
      return { rows: page.subagents, nextCursor: page.nextCursor }
    })
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer({ subagents, nextCursor }, () => subagentTable(subagents, view))
    if (context.globals.isJson) return
    if (subagents.length === 0) context.note('no sub-agents.')
    if (nextCursor !== null) context.note(`there are more: --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
