import { MESSAGE_KINDS, MESSAGE_STATUSES } from '../../../domain/message/message'
import { AGENT_CLI, checkAgentCli } from '../../kit/arguments/agent-cli'
import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { messageTable } from '../../views/message-views'

export const command = defineCommand({
  summary: 'List messages between tasks, sessions and agents, newest first',
  options: {
    to: { kind: 'text', value: 'ADDRESS', help: 'only messages to this address' },
    from: { kind: 'text', value: 'ADDRESS', help: 'only messages from this address' },
    task: { kind: 'text', value: 'ID', complete: 'task', help: 'only messages about this task' },
    agent: AGENT_CLI,
    status: {
      kind: 'text',
      value: 'STATUS',
      choices: MESSAGE_STATUSES,
      isRepeated: true,
      help: `only messages with this status: ${MESSAGE_STATUSES.join(', ')}`,
    },
    kind: {
      kind: 'text',
      value: 'KIND',
      choices: MESSAGE_KINDS,
      isRepeated: true,
      help: `only messages of this kind: ${MESSAGE_KINDS.join(', ')}`,
    },
    oldest: { kind: 'flag', help: 'oldest first' },
    ...PAGING,
  },
  examples: [
    { line: 'lode message list -n 1', does: 'the newest message' },
    { line: 'lode message list --to t-7f3k9q2m', does: 'the messages to that task and their status' },
    { line: 'lode message list --status produced', does: 'messages that nobody has received yet' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const agent = await checkAgentCli(client, options.agent)
    const { to, from, task, status, kind } = options
    const { rows: messages, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.messages.list({
        limit,
        cursor,
        to,
        from,
        taskId: task,
        agent,
        newestFirst: !options.oldest,
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
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
