import { AppError } from '../../domain/errors'
import type { TaskLogLine } from '../../domain/task'
import { defineCommand } from '../command'
import { json } from '../print'
import { TASK_ARG } from '../task-move'
import { logLine } from '../views/log-lines'

const PAGE = 1_000

export const command = defineCommand({
  summary: "Show a task's log: its moves, which conversation was resumed, what the agent said and did",
  details: [
    'With --json each line is one JSON document on one line: {id, at, attempt, kind, text}. The id of the last line is what',
    '--after takes to go on.',
  ].join('\n'),
  args: [TASK_ARG],
  options: {
    follow: { kind: 'flag', short: 'f', help: 'go on with new lines until the task has ended; needs a server' },
    after: {
      kind: 'number',
      value: 'N',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      help: 'start after the line with this id',
    },
    last: { kind: 'number', short: 'n', value: 'N', min: 1, max: 100_000, help: 'only the last N lines' },
    full: { kind: 'flag', help: 'texts with all their lines; else one line for each entry' },
  },
  examples: [
    { line: 'lode task log t-7f3k9q2m', does: 'all of it' },
    { line: 'lode task log t-7f3k --follow', does: 'live, until the task has ended' },
    { line: 'lode task log t-7f3k -n 20 --full', does: 'the last 20 entries with their whole text' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { io, signal, globals } = context
    const { client, url } = await context.connection()
    const print = (line: TaskLogLine) =>
      io.out(globals.isJson ? json(line, false) : logLine(line, { columns: io.columns, isFull: options.full }))
    let after = options.after ?? 0
    const held: TaskLogLine[] = []
    for (let isEnd = false; !isEnd; ) {
      const { lines } = await client.tasks.log(id, { after, limit: PAGE }, { signal })
      after = lines.at(-1)?.id ?? after
      isEnd = lines.length < PAGE
      if (options.last === undefined) lines.forEach(print)
      else held.splice(0, Math.max(0, held.push(...lines) - options.last))
    }
    held.forEach(print)
    if (!options.follow) return undefined
    if (url === null) {
      throw new AppError('unavailable', 'No server runs here, so nothing happens that could be followed.', {
        hint: "Start one with 'lode up'. Without --follow the log is read as it stands.",
      })
    }
    for await (const line of client.tasks.followLog(id, { after }, { signal })) print(line)
    return undefined
  },
})
