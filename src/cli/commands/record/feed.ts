import { type Client, mergeChanges } from '../../../api/client'
import { MAX_PAGE_LIMIT } from '../../../api/contract/protocol'
import { AppError } from '../../../domain/errors'
import { FEED_KINDS, type FeedEntry, type FeedKind } from '../../../domain/feed'
import { AGENT_CLI, checkAgentCli } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import { localTime } from '../../print/measures'
import { json } from '../../print/print'
import { cut, oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Show recent changes, one entry per line; --follow waits for new ones',
  details: [
    'With --json, each entry is one JSON document per line: {seq, at, kind, sessionId, data}. To continue later, pass the',
    'seq of the last entry to --after: no entry is skipped or repeated.',
  ].join('\n'),
  options: {
    follow: { kind: 'flag', short: 'f', help: 'wait for new entries until Ctrl-C; needs a server' },
    merge: {
      kind: 'flag',
      help: 'with --follow: show only the last of several changes to a to-do list within todos.debounceMs',
    },
    after: {
      kind: 'number',
      value: 'SEQ',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      help: 'start after this entry; 0 = start at the first entry',
    },
    session: { kind: 'text', short: 's', value: 'ID', complete: 'session', help: 'only this session' },
    agent: AGENT_CLI,
    kind: {
      kind: 'text',
      value: 'KIND',
      choices: FEED_KINDS,
      isRepeated: true,
      help: `only entries of this kind: ${FEED_KINDS.join(', ')}`,
    },
    limit: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      help: 'stop after N entries',
    },
  },
  examples: [
    { line: 'lode feed', does: 'the newest 20 entries' },
    { line: 'lode feed --follow', does: 'print new entries as they arrive' },
    { line: 'lode feed --after 0 --limit 1000 --json', does: 'the first 1,000 entries, one JSON document per line' },
    { line: 'lode feed -f -s 3f2a9c1e --kind todo.updated --merge', does: "follow one session's to-dos" },
  ],
  async run(context, { options }) {
    const { io, globals, signal } = context
    const { client, url } = await context.connection()
    const print = (entry: FeedEntry) => io.out(globals.isJson ? json(entry, false) : entryLine(entry, io.columns))
    const filter = {
      sessionId: options.session,
      agent: await checkAgentCli(client, options.agent),
      kinds: options.kind.length === 0 ? undefined : FEED_KINDS.filter((each) => options.kind.includes(each)),
    }
    let left = options.limit ?? Number.POSITIVE_INFINITY

    if (options.follow) {
      if (url === null) {
        throw new AppError('unavailable', 'No server is running here, so there are no changes to follow.', {
          hint: "Start one with 'lode up'. Without --follow, this command prints the current entries.",
        })
      }
      const reading = new AbortController()
      const entries = client.feed.follow(
        { ...filter, after: options.after },
        {
          signal: AbortSignal.any([signal, reading.signal]),
          onRetry: (error, waitMs) => context.note(`${error.message}; trying again in ${Math.ceil(waitMs / 1_000)} s`),
        },
      )
      const windowMs = options.merge ? context.config().todos.debounceMs : 0
      try {
        for await (const entry of options.merge ? mergeChanges(entries, windowMs) : entries) {
          print(entry)
          if (--left <= 0) break
        }
      } finally {
        reading.abort()
      }
      return undefined
    }
    if (options.merge) throw new AppError('invalid', '--merge needs --follow: past entries are never merged.')

    if (options.after === undefined) {
      for (const entry of await newestEntries(client, filter, options.limit ?? DEFAULT_COUNT)) print(entry)
      return undefined
    }
    let after = options.after
    while (left > 0 && !signal.aborted) {
      const page = await client.feed.page({ ...filter, after, limit: Math.min(left, MAX_PAGE_LIMIT) })
      for (const entry of page.entries) print(entry)
      left -= page.entries.length
      after = page.nextCursor
      if (page.isEnd) break
    }
    return undefined
  },
})

/** The last `wanted` entries that match: looks back in growing steps, since a filter may leave few of many. */
async function newestEntries(client: Client, filter: FeedFilter, wanted: number): Promise<FeedEntry[]> {
  const { feedHead } = await client.status()
  for (let step = Math.max(wanted, MAX_PAGE_LIMIT); ; step *= 8) {
    const start = Math.max(0, feedHead - step)
    const found: FeedEntry[] = []
    for (let after = start; after < feedHead; ) {
      const page = await client.feed.page({ ...filter, after, limit: MAX_PAGE_LIMIT })
      found.push(...page.entries)
      if (page.isEnd || page.nextCursor <= after) break
      after = page.nextCursor
    }
    if (found.length >= wanted || start === 0) return found.slice(-wanted)
  }
}

interface FeedFilter {
  sessionId: string | undefined
  agent: string | undefined
  kinds: FeedKind[] | undefined
}

const DEFAULT_COUNT = 20

function entryLine(entry: FeedEntry, columns: number): string {
  const data = Object.entries(entry.data).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const place = [String(entry.seq), localTime(entry.at) ?? '-', entry.sessionId?.slice(0, 8) ?? '-', entry.kind]
  const line = [...place, ...data].map(oneLine).join('  ')
  return `${columns > 0 ? cut(line, columns) : line}\n`
}
