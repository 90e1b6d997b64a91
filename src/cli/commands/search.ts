import { MAX_SEARCH_LIMIT } from '../../api/contract/routes'
import { defineCommand } from '../command'
import { hasColor } from '../print'
import { searchView } from '../views/event-views'

export const command = defineCommand({
  summary: 'Find text in messages and tool inputs, best match first',
  details:
    'All words must occur; "a phrase" (in quotes) stays together, word* matches every ending. Tool output is not searched.',
  args: [{ name: 'TEXT', help: 'words to look for', isRepeated: true }],
  options: {
    session: { kind: 'text', short: 's', value: 'ID', help: 'only in this session' },
    limit: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: MAX_SEARCH_LIMIT,
      fallback: 20,
      help: 'at most N matches',
    },
  },
  examples: [
    { line: 'lode search login redirect', does: 'events that hold both words' },
    { line: 'lode search \'"rate limit"\' --session 3f2a9c1e', does: 'a phrase, in one session' },
    { line: 'lode search migrat* --json', does: 'every ending, as {hits, isTruncated}' },
  ],
  async run(context, { args, options }) {
    const client = await context.client()
    const result = await client.search({ q: args.join(' '), sessionId: options.session, limit: options.limit })
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer(result, () => searchView(result.hits, hasColor(context.io, context.globals.allowsColor), view))
    if (context.globals.isJson) return
    if (result.hits.length === 0) context.note('nothing found; tool output is not searched.')
    if (result.isTruncated) context.note('there are more than 2,000 matches; the newest of them were ranked.')
  },
})
