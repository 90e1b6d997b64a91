import { resolve } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { Attempt, Task } from '../../../domain/task/task'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { commandLine, talk } from '../../sessions/terminal-conversation'
import { TASK_ARG } from '../../tasks/task-move'

export const command = defineCommand({
  summary: "Open a task's conversation in the agent's CLI, in this terminal",
  details: [
    "Starts the CLI in the task's folder. Restores the transcript from the record if it is missing here. The task must have no live",
    'attempt and the conversation must not be open elsewhere, because two writers would split it.',
  ].join('\n'),
  args: [TASK_ARG],
  options: {
    print: { kind: 'flag', help: 'print the command without running it' },
    dir: { kind: 'text', value: 'DIR', complete: 'folder', help: 'the folder, if it has moved' },
    model: { kind: 'text', value: 'MODEL', help: "use another model instead of the task's" },
  },
  examples: [
    { line: 'lode task open t-7f3k9q2m', does: 'talk to the agent about its work' },
    { line: 'lode task open t-7f3k --print', does: 'print a command to paste elsewhere' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { io, globals } = context
    if (!options.print && !globals.isJson && !(io.isTerminal && io.canAsk)) {
      throw usageError(context.path)('A conversation opens only in a terminal. Here, use --print or --json.')
    }
    const client = await context.client()
    const { task, attempts } = await client.tasks.get(id)
    const sessionId = openable(task, attempts)
    const last = attempts.findLast((attempt) => attempt.cwd !== null)?.cwd
    const dir = options.dir === undefined ? (last ?? task.dir) : resolve(io.cwd, options.dir)
    if (dir === null || dir === undefined) {
      throw new AppError('invalid', `The folder of task ${task.id} is unknown.`, { hint: 'Name it with --dir DIR.' })
    }
    const { openConversation } = await import('../../../app/open-conversation')
    const model = options.model ?? task.model
    const opened = await openConversation(context.config(), io.env, client, { sessionId, dir, model, with: null })
    if (options.print || globals.isJson) {
      context.answer({ taskId: task.id, sessionId, ...opened }, () => `${commandLine(opened)}\n`, { isExact: true })
      return undefined
    }
    if (opened.isRestored) context.note(`session ${sessionId} was restored from the record`)
    // The terminal is the CLI's until it ends: Ctrl-C is its own business, and reaches it by the terminal.
    context.takeSecondSignal()
    return talk(opened, io.env)
  },
})

/** The conversation that may be opened now. @throws `conflict` */
function openable(task: Task, attempts: readonly Attempt[]): NonNullable<Task['claudeSessionId']> {
  const live = attempts.find((attempt) => attempt.isLive)
  if (live !== undefined) {
    throw new AppError('conflict', `Task ${task.id} is running: attempt ${live.number}, by ${live.agentName}.`, {
      hint: `Pause it first with 'lode task pause ${task.id}', or send it input with 'lode task input ${task.id} TEXT'.`,
    })
  }
  if (task.claudeSessionId === null) {
    throw new AppError('conflict', `Task ${task.id} has no conversation yet, because it has had no attempt.`, {
      hint: `Start it here with 'lode run --task ${task.id}'.`,
    })
  }
  if (task.status === 'pending' || task.status === 'unassigned' || task.status === 'offered') {
    throw new AppError('conflict', `Task ${task.id} is ${task.status}: a worker may continue it at any moment.`, {
      hint: `Pause it first with 'lode task pause ${task.id}'.`,
    })
  }
  return task.claudeSessionId
}
