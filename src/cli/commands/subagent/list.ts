import { listRows, PAGING } from '../../kit/arguments/paging'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { subagentTable } from '../../views/session/session-views'

export const command = defineCommand({
  summary: "List a session's sub-agents (all levels), background shells and monitors",
  options: {
    session: { kind: 'text', short: 's', value: 'ID', complete: 'session', help: 'the session (required)' },
    agents: { kind: 'flag', short: 'a', help: 'leave out background shells and monitors' },
    ...PAGING,
  },
  examples: [
    { line: 'lode subagent list --session 3f2a9c1e', does: 'all entries with status, depth and tokens' },
    {
      line: 'lode subagent list -s 3f2a9c1e --agents --json',
      does: 'only sub-agents, as JSON: {subagents, nextCursor}',
    },
  ],
  async run(context, { options }) {
    const session = options.session
    if (session === undefined) throw usageError(context.path)('Missing --session ID.')
    const client = await context.client()
    const { rows: subagents, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const kinds = options.agents ? (['agent'] as const) : (['agent', 'shell', 'monitor'] as const)
      const page = await client.subagents.list({ limit, cursor, sessionId: session, kinds: [...kinds] })
      return { rows: page.subagents, nextCursor: page.nextCursor }
    })
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer({ subagents, nextCursor }, () => subagentTable(subagents, view))
    if (context.globals.isJson) return
    if (subagents.length === 0)
      context.note(options.agents ? 'no sub-agents.' : 'no sub-agents and no background work.')
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
