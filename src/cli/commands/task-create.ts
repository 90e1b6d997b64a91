import { TASK_LIMITS } from '../../domain/task'
import { callingConversation } from '../calling-session'
import { defineCommand } from '../command'
import { CREATE_OPTIONS, createRequest, TEXT_ARG } from '../create-task'
import { noteWithoutServer, taskLine } from '../task-move'
import { oneLine } from '../text'
import { outcomeCode, waitForTask } from '../wait-task'

export const command = defineCommand({
  summary: 'Create a task for a worker',
  details: [
    `The text is what the agent is told, at most ${TASK_LIMITS.text.toLocaleString('en-US')} characters. A worker takes the task as soon as`,
    'it may: nothing to wait for, and the capabilities that it needs. With --parent the worker continues the conversation',
    'of that task, so that the text may build on it. Called from the shell of an agent it belongs to that conversation, which is told',
    'what it comes to.',
  ].join('\n'),
  args: [TEXT_ARG],
  options: {
    ...CREATE_OPTIONS,
    'no-reply': {
      kind: 'flag',
      help: 'called by an agent: what the task comes to is not told to its conversation',
    },
    wait: {
      kind: 'flag',
      short: 'w',
      help: "wait for its end; the exit code is its outcome's, as with 'lode task wait'",
    },
  },
  examples: [
    { line: "lode task create 'Fix the failing tests'", does: 'in this folder, for any worker' },
    { line: 'lode task create - --title Spec', does: "reads the task's text from stdin" },
    {
      line: "lode task create 'Now add a changelog entry' --parent t-7f3k",
      does: "goes on in that task's conversation",
    },
    { line: "lode task create 'Ship it' --after t-7f3k --after t-9q2m", does: 'once both are completed' },
    { line: "lode task create 'Try another parser' --worktree --base main", does: 'on a branch of its own' },
  ],
  async run(context, { args: [text = ''], options }) {
    const connection = await context.connection()
    const { client, url } = connection
    const request = await createRequest(context, connection, text, options)
    const session = options['no-reply'] ? null : await callingConversation(context)
    const asked = session === null ? {} : { sessionId: session, spawnedBy: { sessionId: session } }
    const created = await client.tasks.create(
      { ...request, ...asked },
      {
        signal: context.signal,
        ...(options.key === undefined ? {} : { idempotencyKey: options.key }),
      },
    )
    if (!options.wait) {
      context.answer(created, () => `${taskLine(created.task)}\n`)
      if (context.globals.isJson) return undefined
      if (created.isRepeat)
        context.note(
          `it was made before${options.key === undefined ? ' and is not over' : ' with this key'}; nothing new was made.`,
        )
      if (created.routed !== null) context.note(oneLine(created.routed))
      if (created.task.status !== 'backlog') noteWithoutServer(context, url)
      return undefined
    }
    context.note(taskLine(created.task))
    const task = await waitForTask(context, connection, created.task.id, context.signal)
    context.answer({ ...created, task }, () => `${taskLine(task)}\n`)
    return outcomeCode([task])
  },
})
