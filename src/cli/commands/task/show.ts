import { namesClis } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import { costOf, withCosts } from '../../tasks/task-costs'
import { TASK_ARG } from '../../tasks/task-move'
import { messageTable } from '../../views/message-views'
import { attemptList, questionTable } from '../../views/task/attempt-views'
import { dependencyTable, section, taskCli, taskTable, taskView } from '../../views/task/task-views'
import { todoTable } from '../../views/todo-views'

/** Messages that are shown: the oldest that wait. */
const MOST_MESSAGES = 20

export const command = defineCommand({
  summary: 'Show a task with its attempts, questions, dependencies, children, messages and to-dos',
  details: [
    'Each attempt shows how it got its conversation (native, restored, snapshot, preamble or fresh), and why the better ways',
    'were not possible.',
  ].join('\n'),
  args: [TASK_ARG],
  examples: [
    { line: 'lode task show t-7f3k9q2m', does: 'all details of the task' },
    { line: 'lode task show t-7f3k --json', does: 'print one JSON document' },
  ],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const found = await client.tasks.get(id)
    const task = { ...found.task, ...costOf(found.task, found.recorded) }
    const detail = { ...found, task, children: await withCosts(client, found.children) }
    const { messages } = await client.messages.list({
      to: detail.task.id,
      status: ['produced', 'queued'],
      limit: MOST_MESSAGES,
    })
    const names = await namesClis(context, [task, ...detail.children].map(taskCli))
    context.answer(detail, () => {
      const view = { now: context.io.now(), columns: context.io.columns, namesClis: names }
      return [
        taskView(task, {
          ...view,
          isRecorded: detail.recorded !== null,
          hasNoCli: detail.lacksCli,
          behind: detail.behind,
        }),
        section('questions', questionTable(detail.questions, false, view)),
        section('attempts', attemptList(detail.attempts, view)),
        section('depends on', dependencyTable(detail.dependencies, view)),
        section('children', taskTable(detail.children, view)),
        section('messages for it, unread', messages.length === 0 ? '' : messageTable(messages, view)),
        section('to-dos', todoTable(detail.todos, true, view)),
      ].join('')
    })
  },
})
