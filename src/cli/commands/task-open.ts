import { resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import type { Attempt, Task } from '../../domain/task'
import { defineCommand } from '../command'
import { usageError } from '../parse-args'
import { TASK_ARG } from '../task-move'
import { commandLine, talk } from '../terminal-conversation'

export const command = defineCommand({
  summary: "Open a task's conversation in the agent's own CLI, in this terminal",
  details: [
    'In the folder where the task ran. The transcript is written back from the record when it is missing here. No attempt of the',
    'task may be live, and nobody else may have the conversation open: two at once would tear it in two.',
  ].join('\n'),
  args: [TASK_ARG],
  options: {
    print: { kind: 'flag', help: 'only print the command that would be run' },
    dir: { kind: 'text', value: 'DIR', complete: 'folder', help: 'the folder, where it is not the one that it was' },
    model: { kind: 'text', value: 'MODEL', help: "another model than the task's" },
  },
  examples: [
    { line: 'lode task open t-7f3k9q2m', does: 'talk to the agent about what it did' },
    { line: 'lode task open t-7f3k --print', does: 'the command, to be pasted elsewhere' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { io, globals } = context
    if (!options.print && !globals.isJson && !(io.isTerminal && io.canAsk)) {
      throw usageError(context.path)('A conversation is opened in a terminal; here only --print or --json work.')
    }
    const client = await context.client()
    const { task, attempts } = await client.tasks.get(id)
    const sessionId = openable(task, attempts)
    const last = attempts.findLast((attempt) => attempt.cwd !== null)?.cwd
    const dir = options.dir === undefined ? (last ?? task.dir) : resolve(io.cwd, options.dir)
    if (dir === null || dir === undefined) {
      throw new AppError('invalid', `The folder of ${task.id} is not known.`, { hint: 'Name it with --dir DIR.' })
    }
    const { openConversation } = await import('../../app/open-conversation')
    const model = options.model ?? task.model
    const opened = await openConversation(context.config(), io.env, client, { sessionId, dir, model })
    if (options.print || globals.isJson) {
      context.answer({ taskId: task.id, sessionId, ...opened }, () => `${commandLine(opened)}\n`)
      return undefined
    }
    if (opened.isRestored) context.note(`session ${sessionId} was written back from the record`)
    // The terminal is the CLI's until it ends: Ctrl-C is its own business, and reaches it by the terminal.
    context.takeSecondSignal()
    return talk(opened, io.env)
  },
})

/** The conversation that may be opened now. @throws `conflict` */
function openable(task: Task, attempts: readonly Attempt[]): NonNullable<Task['claudeSessionId']> {
  const live = attempts.find((attempt) => attempt.isLive)
  if (live !== undefined) {
    throw new AppError('conflict', `${task.id} is at work: attempt ${live.number}, by ${live.agentName}.`, {
      hint: `Pause it first with 'lode task pause ${task.id}', or say something to it with 'lode task input ${task.id} TEXT'.`,
    })
  }
  if (task.claudeSessionId === null) {
    throw new AppError('conflict', `${task.id} has no conversation yet: no attempt was made.`, {
      hint: `Begin it here with 'lode run --task ${task.id}'.`,
    })
  }
  if (task.status === 'pending' || task.status === 'unassigned' || task.status === 'offered') {
    throw new AppError('conflict', `${task.id} is ${task.status}: a worker may go on with it at any moment.`, {
      hint: `Pause it first with 'lode task pause ${task.id}'.`,
    })
  }
  return task.claudeSessionId
}
