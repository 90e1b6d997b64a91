import { listRows } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { type EpicFacts, epicTable } from '../../views/task/epic-views'

const MAX_EPICS = 100

export const command = defineCommand({
  summary: 'List epics with their task progress',
  options: {
    limit: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: MAX_EPICS,
      fallback: 50,
      help: 'show at most N rows',
    },
    cursor: { kind: 'text', value: 'CURSOR', help: 'continue after a previous page: its nextCursor' },
    all: { kind: 'flag', help: 'all rows; ignores --limit' },
  },
  examples: [{ line: 'lode epic list', does: 'the newest 50' }],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const client = await context.client()
    const { rows: epics, nextCursor } = await listRows<EpicFacts>(options, async ({ limit, cursor }) => {
      const page = await client.epics.list({ limit: Math.min(limit, MAX_EPICS), cursor })
      return { rows: page.epics, nextCursor: page.nextCursor }
    })
    context.answer({ epics, nextCursor }, () =>
      epicTable(epics, { now: context.io.now(), columns: context.io.columns }),
    )
    if (context.globals.isJson) return
    if (epics.length === 0) context.note("no epics. Create one with 'lode epic create TITLE'.")
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
