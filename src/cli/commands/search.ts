import { MAX_SEARCH_LIMIT } from '../../api/contract/protocol'
import { AGENT_CLI, checkAgentCli, namesClis } from '../kit/agent-cli'
import { defineCommand } from '../kit/command'
import { hasColor } from '../print/print'
import { searchView } from '../views/session/event-views'

export const command = defineCommand({
  summary: 'Find text in messages and tool inputs, best match first',
  details:
    'All words must match. "a phrase" (in quotes) matches exact word order; word* matches any ending. Tool output is not searched.',
  args: [{ name: 'TEXT', help: 'words to search for', isRepeated: true }],
  options: {
    session: { kind: 'text', short: 's', value: 'ID', help: 'only in this session' },
    agent: AGENT_CLI,
    limit: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: MAX_SEARCH_LIMIT,
      fallback: 20,
      help: 'show at most N matches',
    },
  },
  examples: [
    { line: 'lode search login redirect', does: 'events that contain both words' },
    { line: 'lode search \'"rate limit"\' --session 3f2a9c1e', does: 'search for a phrase in one session' },
    { line: 'lode search migrat* --json', does: 'match any ending; print JSON: {hits, isTruncated}' },
  ],
  async run(context, { args, options }) {
    const client = await context.client()
    const result = await client.search({
      q: args.join(' '),
      sessionId: options.session,
      agent: await checkAgentCli(client, options.agent),
      limit: options.limit,
    })
    const view = {
      ...{ now: context.io.now(), columns: context.io.columns },
      namesClis: await namesClis(
        context,
        result.hits.map((hit) => hit.agent),
      ),
    }
    context.answer(result, () => searchView(result.hits, hasColor(context.io, context.globals.allowsColor), view))
    if (context.globals.isJson) return
    if (result.hits.length === 0) context.note('no matches; tool output is not searched.')
    if (result.isTruncated) context.note('more than 2,000 matches; only the newest were ranked.')
  },
})
