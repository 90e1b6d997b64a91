import { AGENT_CLI, checkAgentCli } from '../../kit/arguments/agent-cli'
import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { eventTable } from '../../views/session/event-views'

export const command = defineCommand({
  summary: 'List events in chronological order',
  options: {
    session: { kind: 'text', short: 's', value: 'ID', complete: 'session', help: 'only this session' },
    agent: AGENT_CLI,
    'parent-tool-use': {
      kind: 'text',
      value: 'ID',
      help: "only events of the sub-agent launched by this tool call; 'null' = the main thread",
    },
    subagent: { kind: 'text', value: 'ID', complete: 'subagent', help: 'only events of this sub-agent' },
    type: {
      kind: 'text',
      value: 'TYPE',
      help: "only this type: Lodeline's (prompt, text, tool_call ...) or the transcript's (user, assistant ...)",
    },
    'tool-use': { kind: 'text', value: 'ID', help: 'only the call and result with this tool-use ID' },
    orphans: { kind: 'flag', help: 'only events of sub-agents whose launch was not recorded' },
    'own-only': { kind: 'flag', help: 'leave out events that a fork copied from its parent' },
    ...PAGING,
  },
  examples: [
    { line: 'lode event list --session 3f2a9c1e', does: 'the first 50 events of a session' },
    {
      line: 'lode event list -s 3f2a9c1e --parent-tool-use null --type prompt',
      does: 'the prompts on the main thread',
    },
    {
      line: 'lode event list -s 3f2a9c1e --parent-tool-use toolu_01AbC --json',
      does: "a sub-agent's events as JSON: {events, nextCursor}",
    },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const agent = await checkAgentCli(client, options.agent)
    const parent = options['parent-tool-use']
    const { rows: events, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.events.list({
        limit,
        cursor,
        sessionId: options.session,
        agent,
        parentToolUseId: parent === 'null' ? null : parent,
        subagentId: options.subagent,
        type: options.type,
        toolUseId: options['tool-use'],
        orphans: options.orphans || undefined,
        ownOnly: options['own-only'] || undefined,
      })
      return { rows: page.events, nextCursor: page.nextCursor }
    })
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer({ events, nextCursor }, () => eventTable(events, options.session !== undefined, view))
    if (context.globals.isJson) return
    if (events.length === 0) context.note('no events.')
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
