import { AppError } from '../../../domain/errors'
import type { TaskLogLine } from '../../../domain/task/task'
import { defineCommand } from '../../kit/command'
import { json } from '../../print/print'
import { TASK_ARG } from '../../tasks/task-move'
import { logLine } from '../../views/task/log-lines'

const PAGE = 1_000

export const command = defineCommand({
  summary: "Show a task's log: state changes, resumed conversations and agent activity",
  details: [
    'With --json, each entry is one JSON document per line: {id, at, attempt, kind, text}. To continue later, pass the id of',
    'the last entry to --after.',
  ].join('\n'),
  args: [TASK_ARG],
  options: {
    follow: { kind: 'flag', short: 'f', help: 'print new entries until the task has ended; needs a server' },
    after: {
      kind: 'number',
      value: 'N',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      help: 'start after the entry with this ID',
    },
    last: { kind: 'number', short: 'n', value: 'N', min: 1, max: 100_000, help: 'only the last N entries' },
    full: { kind: 'flag', help: 'show complete texts instead of one line per entry' },
  },
  examples: [
    { line: 'lode task log t-7f3k9q2m', does: 'the whole log' },
    { line: 'lode task log t-7f3k --follow', does: 'follow the log until the task has ended' },
    { line: 'lode task log t-7f3k -n 20 --full', does: 'the last 20 entries with complete texts' },
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
      throw new AppError('unavailable', 'No server is running here, so there are no new log entries to follow.', {
        hint: "Start one with 'lode up'. Without --follow, this command prints the current log.",
      })
    }
    for await (const line of client.tasks.followLog(id, { after }, { signal })) print(line)
    return undefined
  },
})
