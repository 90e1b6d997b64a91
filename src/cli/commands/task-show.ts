import { defineCommand } from '../command'
import { TASK_ARG } from '../task-move'
import { attemptList, questionTable } from '../views/attempt-views'
import { dependencyTable, section, taskTable, taskView } from '../views/task-views'
import { todoTable } from '../views/todo-views'

export const command = defineCommand({
  summary: 'Show a task with its attempts, questions, dependencies, children and to-dos',
  details: [
    'Each attempt says how it got its conversation (native, restored, snapshot, preamble or fresh), and why none of the better',
    'ways was taken.',
  ].join('\n'),
  args: [TASK_ARG],
  examples: [
    { line: 'lode task show t-7f3k9q2m', does: 'everything that is known of the task' },
    { line: 'lode task show t-7f3k --json', does: 'the same as one document' },
  ],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const detail = await client.tasks.get(id)
    context.answer(detail, () => {
      const view = { now: context.io.now(), columns: context.io.columns }
      return [
        taskView(detail.task, view),
        section('questions', questionTable(detail.questions, false, view)),
        section('attempts', attemptList(detail.attempts, view)),
        section('depends on', dependencyTable(detail.dependencies, view)),
        section('children', taskTable(detail.children, view)),
        section('to-dos', todoTable(detail.todos, true, view)),
      ].join('')
    })
  },
})
