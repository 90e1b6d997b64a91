import { TASK_LIMITS } from '../../../domain/task/task-limits'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { callingConversation } from '../../sessions/calling-session'
import { conversationOf, noteReplay } from '../../sessions/note-replay'
import { CREATE_OPTIONS, createRequest, TEXT_ARG } from '../../tasks/create-task'
import { noteWithoutServer, taskLine } from '../../tasks/task-move'
import { outcomeCode, outcomeText, waitForTask } from '../../tasks/wait-task'

export const command = defineCommand({
  summary: 'Create a task for a worker',
  details: [
    `TEXT is the agent's prompt, at most ${TASK_LIMITS.text.toLocaleString('en-US')} characters. A worker takes the task once nothing blocks it`,
    "and the worker has the required capabilities. With --parent, the worker continues the parent's conversation, so TEXT can",
    "refer to it. If an agent creates the task from its shell, the task belongs to the agent's conversation, which receives the",
    'result.',
  ].join('\n'),
  args: [TEXT_ARG],
  options: {
    ...CREATE_OPTIONS,
    'no-reply': {
      kind: 'flag',
      help: "if an agent calls this: don't send the result to its conversation",
    },
    wait: {
      kind: 'flag',
      short: 'w',
      help: "wait for the end of the task; exit with its outcome, like 'lode task wait'",
    },
  },
  examples: [
    { line: "lode task create 'Fix the failing tests'", does: 'create a task in this folder for any worker' },
    { line: 'lode task create - --title Spec', does: "read the task's text from stdin" },
    {
      line: "lode task create 'Now add a changelog entry' --parent t-7f3k",
      does: "continue in that task's conversation",
    },
    { line: "lode task create 'Ship it' --after t-7f3k --after t-9q2m", does: 'start after both tasks are completed' },
    {
      line: "lode task create 'Try another parser' --worktree --base main",
      does: 'work in a new Git worktree and branch',
    },
  ],
  async run(context, { args: [text = ''], options }) {
    const connection = await context.connection()
    const { client, url } = connection
    const request = await createRequest(context, connection, text, options)
    const session = options['no-reply'] ? null : await callingConversation(context)
    const asked = session === null ? {} : { sessionId: session, spawnedBy: { sessionId: session } }
    if (request.parentTaskId !== undefined && request.continuity !== 'fresh' && !context.globals.isJson)
      await noteReplay(context, client, await conversationOf(client, request.parentTaskId))
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
          `this task already exists${options.key === undefined ? ' and is unfinished' : ' with this key'}; no new task was created.`,
        )
      if (created.routed !== null) context.note(oneLine(created.routed))
      if (created.task.status !== 'backlog') noteWithoutServer(context, url)
      return undefined
    }
    context.note(taskLine(created.task))
    const task = await waitForTask(context, connection, created.task.id, context.signal)
    context.answer({ ...created, task }, () => outcomeText(task))
    return outcomeCode([task])
  },
})
