import { isFinal, SHOWN_TASK_STATUSES, type ShownTaskStatus } from '../../../domain/task/task'
import { isAgentCli, namesClis } from '../../kit/arguments/agent-cli'
import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { withCosts } from '../../tasks/task-costs'
import { taskCli, taskTable } from '../../views/task/task-views'

const OPEN: readonly ShownTaskStatus[] = SHOWN_TASK_STATUSES.filter((each) => !isFinal(each))

export const command = defineCommand({
  summary: 'List tasks, newest first or in queue order',
  options: {
    status: {
      kind: 'text',
      value: 'STATUS',
      choices: SHOWN_TASK_STATUSES,
      isRepeated: true,
      help: `only tasks with this status: ${SHOWN_TASK_STATUSES.join(', ')}`,
    },
    open: { kind: 'flag', short: 'o', help: 'only tasks that are not completed, failed or cancelled' },
    queue: { kind: 'flag', help: 'waiting tasks in the order workers will take them' },
    agent: {
      kind: 'text',
      value: 'AGENT',
      complete: 'agent',
      help: 'only tasks of this agent CLI (codex ...), or assigned to this agent (ID or name)',
    },
    parent: { kind: 'text', value: 'TASK', complete: 'task', help: 'only direct children of this task' },
    epic: { kind: 'text', value: 'ID', complete: 'epic', help: 'only tasks of this epic' },
    issue: { kind: 'text', value: 'ID', complete: 'issue', help: 'only tasks for this issue' },
    session: { kind: 'text', short: 's', value: 'ID', complete: 'session', help: 'only tasks owned by this session' },
    tag: { kind: 'text', value: 'TAG', help: 'only tasks with this tag' },
    type: { kind: 'text', value: 'TYPE', help: 'only tasks of this type' },
    project: { kind: 'text', value: 'NAME', help: 'only this project (folder or name)' },
    source: { kind: 'text', value: 'SOURCE', help: 'only tasks created through this: cli, api, mcp ...' },
    text: { kind: 'text', value: 'WORDS', help: 'only tasks whose text, title or ID contains these words' },
    ...PAGING,
  },
  examples: [
    { line: 'lode task list', does: 'the 50 newest tasks' },
    { line: 'lode task list --open', does: 'unfinished tasks' },
    { line: 'lode task list --agent codex', does: 'tasks of Codex' },
    { line: 'lode task list --queue', does: 'waiting tasks, next one first' },
    { line: 'lode task list --status failed --json', does: 'failed tasks as JSON: {tasks, nextCursor}' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const isCli = options.agent !== undefined && (await isAgentCli(client, options.agent))
    const status = statuses(options.status, options.open)
    const { rows: tasks, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.tasks.list({
        limit,
        cursor,
        status,
        order: options.queue ? 'queue' : undefined,
        ...(isCli ? { agent: options.agent } : { agentId: options.agent }),
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
    const view = {
      ...{ now: context.io.now(), columns: context.io.columns },
      namesClis: await namesClis(context, tasks.map(taskCli)),
    }
    context.answer({ tasks, nextCursor }, () => taskTable(tasks, view))
    if (context.globals.isJson) return
    if (tasks.length === 0) context.note("no tasks. Create one with 'lode task create TEXT'.")
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
  },
})

function statuses(named: readonly string[], isOpen: boolean): ShownTaskStatus[] | undefined {
  if (named.length === 0 && !isOpen) return undefined
  return SHOWN_TASK_STATUSES.filter((each) => named.includes(each) || (isOpen && OPEN.includes(each)))
}
