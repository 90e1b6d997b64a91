import { defineCommand } from '../command'
import { oneLine } from '../text'
import { type EpicFacts, epicTable } from '../views/epic-views'
import { listRows } from './paging'

const MOST = 100

export const command = defineCommand({
  summary: 'List epics with how many of their tasks are done',
  options: {
    limit: { kind: 'number', short: 'n', value: 'N', min: 1, max: MOST, fallback: 50, help: 'at most N rows' },
    cursor: { kind: 'text', value: 'CURSOR', help: 'go on after an earlier page: its nextCursor' },
    all: { kind: 'flag', help: 'every row, page by page; --limit does not count then' },
  },
  examples: [{ line: 'lode epic list', does: 'the newest 50' }],
  async run(context, { options }) {
    const client = await context.client()
    const { rows: epics, nextCursor } = await listRows<EpicFacts>(options, async ({ limit, cursor }) => {
      const page = await client.epics.list({ limit: Math.min(limit, MOST), cursor })
      return { rows: page.epics, nextCursor: page.nextCursor }
    })
    context.answer({ epics, nextCursor }, () =>
      epicTable(epics, { now: context.io.now(), columns: context.io.columns }),
    )
    if (context.globals.isJson) return
    if (epics.length === 0) context.note("no epics. 'lode epic create TITLE' makes one.")
    if (nextCursor !== null) context.note(`there are more: --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
