import { AGENT_CLI, checkAgentCli } from '../../kit/arguments/agent-cli'
import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { questionTable } from '../../views/task/attempt-views'

const STATUSES = ['open', 'answered', 'expired', 'withdrawn'] as const

export const command = defineCommand({
  summary: 'List questions: tool calls that need approval',
  options: {
    status: { kind: 'text', value: 'STATUS', choices: STATUSES, help: `${STATUSES.join(', ')} (default open)` },
    every: { kind: 'flag', help: 'questions of any status' },
    task: { kind: 'text', value: 'ID', complete: 'task', help: 'only questions of this task' },
    agent: AGENT_CLI,
    ...PAGING,
  },
  examples: [
    { line: 'lode question list', does: 'open questions with their deadline and default answer' },
    { line: 'lode question list --every --task t-7f3k9q2m', does: 'every question of one task' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const agent = await checkAgentCli(client, options.agent)
    const status = options.every ? undefined : (options.status ?? 'open')
    const { rows: questions, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.questions.list({ limit, cursor, status, agent, taskId: options.task })
      return { rows: page.questions, nextCursor: page.nextCursor }
    })
    context.answer({ questions, nextCursor }, () =>
      questionTable(questions, true, { now: context.io.now(), columns: context.io.columns }),
    )
    if (context.globals.isJson) return
    if (questions.length === 0) context.note(status === 'open' ? 'no open questions.' : 'no questions.')
    else if (status === 'open')
      context.note("answer with 'lode question answer ID allow' or 'lode question answer ID deny'.")
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})
