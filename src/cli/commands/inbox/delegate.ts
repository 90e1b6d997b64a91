import { resolve } from 'node:path'
import { sessionId } from '../../../domain/ids'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { surelyCalling } from '../../sessions/calling-session'
import { taskText } from '../../tasks/create-task'
import { AGENT_OPTION, clisOf } from '../../tasks/task-options'

/** The instructions of a request's task by default. */
const DEFAULT_TEXT = 'Do what this request asks for.'

export const command = defineCommand({
  summary: 'Create a task from an external request',
  details: [
    "The task's text is TEXT followed by the quoted request. If an earlier request of the thread has a task, choose to continue in its",
    'conversation (--parent) or to start a new one (--fresh).',
  ].join('\n'),
  args: [
    { name: 'ID', help: "the request's ID, or a unique prefix of it", complete: 'request' },
    { name: 'TEXT', help: `what to do (default: ${DEFAULT_TEXT}); - reads it from stdin`, isOptional: true },
  ],
  options: {
    parent: { kind: 'text', value: 'TASK', complete: 'task', help: 'the task to follow up on' },
    fresh: { kind: 'flag', help: 'start a new conversation even if the thread has a task' },
    title: { kind: 'text', value: 'TEXT', help: 'a one-line title' },
    assign: { kind: 'text', value: 'AGENT', complete: 'agent', help: 'assign the task to this worker or specialist' },
    agent: AGENT_OPTION,
    priority: { kind: 'number', value: 'N', min: 0, max: 100, help: 'higher runs first (default 50)' },
    dir: {
      kind: 'text',
      value: 'DIR',
      help: "working directory (default: the parent's, else this folder)",
      complete: 'folder',
    },
  },
  examples: [
    { line: 'lode inbox delegate i-7f3k9q2m', does: 'have an agent do what the request asks for' },
    { line: "lode inbox delegate i-7f3k9q2m 'Find out why'", does: 'create a separate task' },
    {
      line: "lode inbox delegate i-7f3k9q2m 'Make it blue' --parent t-7f3k9q2m",
      does: "continue in that task's conversation",
    },
  ],
  async run(context, { args: [id = '', text = DEFAULT_TEXT], options }) {
    if (options.parent !== undefined && options.fresh)
      throw usageError(context.path)('Use either --parent or --fresh, not both.')
    const task = await taskText(context, text)
    const { client, isRemote } = await context.connection()
    // A run's token names its own task.
    const session = context.io.env.LODELINE_TOKEN ? null : await surelyCalling(context, undefined)
    const answer = await client.inbox.delegate(id, {
      task,
      title: options.title,
      parentTaskId: options.fresh ? null : options.parent,
      agentId: options.assign,
      agentClis: options.agent === undefined ? undefined : clisOf(options.agent),
      priority: options.priority,
      // A parent gives its own folder; without one it is the command's.
      dir:
        options.dir === undefined
          ? options.parent === undefined && !isRemote
            ? context.io.cwd
            : undefined
          : resolve(context.io.cwd, options.dir),
      ...(session !== null && { sessionId: sessionId(session.id) }),
    })
    context.answer(answer, () =>
      oneLine(`${answer.task.id} ${answer.task.status}: ${answer.task.title} (for ${answer.message.id})`).concat('\n'),
    )
    if (!context.globals.isJson && answer.routed !== null) context.note(oneLine(answer.routed))
  },
})
