import { INBOX_STATUSES } from '../../../domain/inbox'
import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { inboxTable } from '../../views/inbox-views'

export const command = defineCommand({
  summary: 'List external requests, newest first',
  options: {
    status: {
      kind: 'text',
      value: 'STATUS',
      choices: INBOX_STATUSES,
      isRepeated: true,
      help: 'only requests with this status',
    },
    source: { kind: 'text', value: 'NAME', complete: 'source', help: 'only requests from this source' },
    thread: { kind: 'text', value: 'KEY', help: 'only requests of this thread' },
    task: { kind: 'text', value: 'ID', complete: 'task', help: 'only requests assigned to this task' },
    ...PAGING,
  },
  examples: [
    { line: 'lode inbox list', does: 'all requests with their tasks' },
    { line: 'lode inbox list --status new', does: 'requests that nobody has handled yet' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const { status, source, thread, task } = options
    const { rows: messages, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.inbox.list({
        limit,
        cursor,
        source,
        threadKey: thread,
        taskId: task,
        ...(status.length > 0 && { status: status as (typeof INBOX_STATUSES)[number][] }),
      })
      return { rows: page.messages, nextCursor: page.nextCursor }
    })
    context.answer({ messages, nextCursor }, () =>
      inboxTable(messages, { now: context.io.now(), columns: context.io.columns }),
    )
    if (context.globals.isJson) return
    if (messages.length === 0) context.note("no requests. Allow a source to send with 'lode inbox source add NAME'.")
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
