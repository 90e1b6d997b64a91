import { FINAL_TASK_STATUSES, SHOWN_TASK_STATUSES, type ShownTaskStatus } from '../../domain/task'
import { defineCommand } from '../command'
import { withCosts } from '../task-costs'
import { oneLine } from '../text'
import { taskTable } from '../views/task-views'
import { listRows, PAGING } from './paging'

const OPEN = SHOWN_TASK_STATUSES.filter((each) => !(FINAL_TASK_STATUSES as readonly string[]).includes(each))

export const command = defineCommand({
  summary: 'List tasks, newest first, or in the order in which they will be taken',
  options: {
    status: {
      kind: 'text',
      value: 'STATUS',
      choices: SHOWN_TASK_STATUSES,
      isRepeated: true,
      help: `only these: ${SHOWN_TASK_STATUSES.join(', ')}`,
    },
    open: { kind: 'flag', short: 'o', help: 'only those that are not completed, failed or cancelled' },
    queue: { kind: 'flag', help: 'what waits to be taken, in that order' },
    agent: { kind: 'text', value: 'AGENT', help: 'only those assigned to this agent (id or name)' },
    parent: { kind: 'text', value: 'TASK', help: 'only direct children of this task' },
    epic: { kind: 'text', value: 'ID', help: 'only those of this epic' },
    issue: { kind: 'text', value: 'ID', help: 'only those that serve this issue' },
    session: { kind: 'text', short: 's', value: 'ID', help: 'only those that this session owns' },
    tag: { kind: 'text', value: 'TAG', help: 'only those with this tag' },
    type: { kind: 'text', value: 'TYPE', help: 'only those of this type' },
    project: { kind: 'text', value: 'NAME', help: 'only this project: its folder or name' },
    source: { kind: 'text', value: 'SOURCE', help: 'only those made by this: cli, api, mcp ...' },
    text: { kind: 'text', value: 'WORDS', help: 'only those whose text, title or id holds these words' },
    ...PAGING,
  },
  examples: [
    { line: 'lode task list', does: 'the 50 newest' },
    { line: 'lode task list --open', does: 'what is not done yet' },
    { line: 'lode task list --queue', does: 'what waits, first what will be taken first' },
    { line: 'lode task list --status failed --json', does: 'the failed ones as {tasks, nextCursor}' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const status = statuses(options.status, options.open)
    const { rows: tasks, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.tasks.list({
        limit,
        cursor,
        status,
        order: options.queue ? 'queue' : undefined,
        agentId: options.agent,
        parentTaskId: options.parent,
        epicId: options.epic,
        issueId: options.issue,
        sessionId: options.session,
        tag: options.tag,
        taskType: options.type,
        project: options.project,
        source: options.source,
        text: options.text,
        // The table has no place for them.
        textLimit: context.globals.isJson ? undefined : 0,
      })
      return { rows: await withCosts(client, page.tasks), nextCursor: page.nextCursor }
    })
    context.answer({ tasks, nextCursor }, () =>
      taskTable(tasks, { now: context.io.now(), columns: context.io.columns }),
    )
    if (context.globals.isJson) return
    if (tasks.length === 0) context.note("no tasks. 'lode task create TEXT' makes one.")
    if (nextCursor !== null) context.note(`there are more: --all, or --cursor ${oneLine(nextCursor)}`)
  },
})

function statuses(named: readonly string[], isOpen: boolean): ShownTaskStatus[] | undefined {
  if (named.length === 0 && !isOpen) return undefined
  return SHOWN_TASK_STATUSES.filter((each) => named.includes(each) || (isOpen && OPEN.includes(each)))
}
