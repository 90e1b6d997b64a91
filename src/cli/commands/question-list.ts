import { defineCommand } from '../command'
import { oneLine } from '../text'
import { questionTable } from '../views/attempt-views'
import { listRows, PAGING } from './paging'

const STATUSES = ['open', 'answered', 'expired', 'withdrawn'] as const

export const command = defineCommand({
  summary: 'List what runs ask: tool calls that need approval',
  options: {
    status: { kind: 'text', value: 'STATUS', choices: STATUSES, help: `${STATUSES.join(', ')} (default open)` },
    every: { kind: 'flag', help: 'in whatever status' },
    task: { kind: 'text', value: 'ID', help: 'only those of this task' },
    ...PAGING,
  },
  examples: [
    { line: 'lode question list', does: 'the open ones, with what happens at their deadline' },
    { line: 'lode question list --every --task t-7f3k9q2m', does: 'all that a task ever asked' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const status = options.every ? undefined : (options.status ?? 'open')
    const { rows: questions, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.questions.list({ limit, cursor, status, taskId: options.task })
      return { rows: page.questions, nextCursor: page.nextCursor }
    })
    context.answer({ questions, nextCursor }, () =>
      questionTable(questions, true, { now: context.io.now(), columns: context.io.columns }),
    )
    if (context.globals.isJson) return
    if (questions.length === 0) context.note(status === 'open' ? 'nothing is asked.' : 'no questions.')
    else if (status === 'open') context.note("answer with 'lode question answer ID allow' or 'deny'.")
    if (nextCursor !== null) context.note(`there are more: --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
