import { MAX_SEARCH_LIMIT } from '../../../api/contract/protocol'
import { FILTERS } from '../../../domain/conversation/search-query'
import { ownTimeZone } from '../../../domain/cost/zone-days'
import { AGENT_CLI, checkAgentCli, namesClis } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import { hasColor } from '../../print/print'
import { searchView } from '../../views/session/event-views'

export const command = defineCommand({
  summary: 'Find text in messages, tool inputs and tool outputs, best match first',
  details:
    'All words must match, in any of their forms. "a phrase" (in quotes) matches word order, word* longer words, and *part* parts of words in the newest lines. Filters limit the search:\n' +
    Object.entries(FILTERS)
      .map(([name, values]) => `  ${`${name}:`.padEnd(10)}${values}`)
      .join('\n'),
  args: [{ name: 'TEXT', help: 'words to search for', isRepeated: true }],
  options: {
    session: { kind: 'text', short: 's', value: 'ID', complete: 'session', help: 'only in this session' },
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
    { line: 'lode search is:error tool:Bash after:7d', does: 'failed Bash calls of the last seven days' },
    {
      line: 'lode search migrat* --json',
      does: 'match longer words; print JSON: {hits, isTruncated, isByParts, facets}',
    },
  ],
  async run(context, { args, options }) {
    const client = await context.client()
    const result = await client.search({
      q: args.join(' '),
      sessionId: options.session,
      agent: await checkAgentCli(client, options.agent),
      limit: options.limit,
      timeZone: ownTimeZone(),
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
    if (result.hits.length === 0) context.note('no matches.')
    if (result.isByParts) context.note('no line has all of these words; these have them as parts of words.')
    if (result.isTruncated) context.note('there may be more matches than the newest that were looked at.')
  },
})
