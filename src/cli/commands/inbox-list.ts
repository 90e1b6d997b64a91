import { INBOX_STATUSES } from '../../domain/inbox'
import { defineCommand } from '../command'
import { oneLine } from '../text'
import { inboxTable } from '../views/inbox-views'
import { listRows, PAGING } from './paging'

export const command = defineCommand({
  summary: 'List requests from outside, newest first',
  options: {
    status: {
      kind: 'text',
      value: 'STATUS',
      choices: INBOX_STATUSES,
      isRepeated: true,
      help: 'only these; may be given again',
    },
    source: { kind: 'text', value: 'NAME', help: 'only from this source' },
    thread: { kind: 'text', value: 'KEY', help: 'only of this thread' },
    task: { kind: 'text', value: 'ID', help: 'only those handed to this task' },
    ...PAGING,
  },
  examples: [
    { line: 'lode inbox list', does: 'whatever came, with the task that works on it' },
    { line: 'lode inbox list --status new', does: 'what nobody looked at yet' },
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
    if (messages.length === 0) context.note("nothing came. Who may send is said by 'lode inbox source add'.")
    if (nextCursor !== null) context.note(`there are more: --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
