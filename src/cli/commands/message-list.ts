import { MESSAGE_KINDS, MESSAGE_STATUSES } from '../../domain/message'
import { defineCommand } from '../command'
import { oneLine } from '../text'
import { messageTable } from '../views/message-views'
import { listRows, PAGING } from './paging'

export const command = defineCommand({
  summary: 'List messages between tasks, sessions and agents, oldest first',
  options: {
    to: { kind: 'text', value: 'ADDRESS', help: 'only those for it' },
    from: { kind: 'text', value: 'ADDRESS', help: 'only those from it' },
    task: { kind: 'text', value: 'ID', help: 'only those that tell of this task' },
    status: {
      kind: 'text',
      value: 'STATUS',
      choices: MESSAGE_STATUSES,
      isRepeated: true,
      help: 'only these; may be given again',
    },
    kind: {
      kind: 'text',
      value: 'KIND',
      choices: MESSAGE_KINDS,
      isRepeated: true,
      help: 'only these; may be given again',
    },
    ...PAGING,
  },
  examples: [
    { line: 'lode message list --to t-7f3k9q2m', does: 'what came to that task, and where it is' },
    { line: 'lode message list --status produced', does: 'what nobody got yet' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const { to, from, task, status, kind } = options
    const { rows: messages, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.messages.list({
        limit,
        cursor,
        to,
        from,
        taskId: task,
        ...(status.length > 0 && { status: status as (typeof MESSAGE_STATUSES)[number][] }),
        ...(kind.length > 0 && { kind: kind as (typeof MESSAGE_KINDS)[number][] }),
      })
      return { rows: page.messages, nextCursor: page.nextCursor }
    })
    context.answer({ messages, nextCursor }, () =>
      messageTable(messages, { now: context.io.now(), columns: context.io.columns }),
    )
    if (context.globals.isJson) return
    if (messages.length === 0) context.note('no messages.')
    if (nextCursor !== null) context.note(`there are more: --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
