import { resolve } from 'node:path'
import { sessionId } from '../../domain/ids'
import { surelyCalling } from '../calling-session'
import { defineCommand } from '../command'
import { taskText } from '../create-task'
import { usageError } from '../parse-args'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Make a task of a request from outside',
  details: [
    "The request is quoted below TEXT. Where an earlier request of the thread has a task, say whether to go on in that task's",
    'conversation (--parent) or to begin anew (--fresh).',
  ].join('\n'),
  args: [
    { name: 'ID', help: "the request's id, or a unique beginning of it" },
    { name: 'TEXT', help: 'what is to be done; - reads it from stdin' },
  ],
  options: {
    parent: { kind: 'text', value: 'TASK', help: 'the task that it follows up on' },
    fresh: { kind: 'flag', help: 'with a conversation of its own, though the thread has a task' },
    title: { kind: 'text', value: 'TEXT', help: 'one line' },
    agent: { kind: 'text', value: 'AGENT', help: 'only this agent gets it' },
    priority: { kind: 'number', value: 'N', min: 0, max: 100, help: 'higher first, default 50' },
    dir: {
      kind: 'text',
      value: 'DIR',
      help: "working directory (default: the parent's, else this folder)",
      complete: 'folder',
    },
  },
  examples: [
    { line: "lode inbox delegate i-7f3k9q2m 'Find out why'", does: 'as a task of its own' },
    { line: "lode inbox delegate i-7f3k9q2m 'Make it blue' --parent t-7f3k9q2m", does: "in that task's conversation" },
  ],
  async run(context, { args: [id = '', text = ''], options }) {
    if (options.parent !== undefined && options.fresh)
      throw usageError(context.path)('--parent and --fresh exclude one another.')
    const task = await taskText(context, text)
    const { client, isRemote } = await context.connection()
    // A run's own task is told by its token.
    const session = context.io.env.LODELINE_TOKEN ? null : await surelyCalling(context, undefined)
    const answer = await client.inbox.delegate(id, {
      task,
      title: options.title,
      parentTaskId: options.fresh ? null : options.parent,
      agentId: options.agent,
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
