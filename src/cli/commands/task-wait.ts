import type { Task } from '../../domain/task'
import { defineCommand } from '../command'
import { EXIT } from '../exit-codes'
import { parseSpan } from '../moments'
import { taskLine } from '../task-move'
import { isSettled, outcomeCode, waitForTask } from '../wait-task'

export const command = defineCommand({
  summary: 'Wait for the end of tasks; the exit code says how they ended',
  details: [
    'Ends when every task is completed, failed, cancelled, or paused by a person. Exit codes: 0 all are completed, 21 one failed,',
    '22 one was cancelled, 23 one is paused, 24 the time was up; of several the smallest that applies.',
  ].join('\n'),
  args: [{ name: 'ID', help: "the tasks' ids, or unique beginnings of them", isRepeated: true }],
  options: { timeout: { kind: 'text', value: 'SPAN', help: 'wait no longer than this, e.g. 10m' } },
  examples: [
    { line: 'lode task wait t-7f3k9q2m', does: 'until it ended' },
    { line: 'lode task wait t-7f3k t-9q2m --timeout 1h', does: 'for both, at most an hour' },
  ],
  async run(context, { args: ids, options }) {
    const spanMs = options.timeout === undefined ? undefined : parseSpan('--timeout', options.timeout)
    const connection = await context.connection()
    // Ids that are wrong are told before anything is waited for.
    for (const id of ids) await connection.client.tasks.get(id)
    const timer = new AbortController()
    const timeout = spanMs === undefined ? undefined : setTimeout(() => timer.abort(), Math.min(spanMs, MAX_TIMER_MS))
    const signal = AbortSignal.any([context.signal, timer.signal])
    let tasks: Task[]
    try {
      tasks = await Promise.all(ids.map((id) => waitForTask(context, connection, id, signal)))
    } finally {
      clearTimeout(timeout)
    }
    if (context.signal.aborted) return EXIT.interrupted
    context.answer({ tasks }, () => tasks.map((task) => `${taskLine(task)}\n`).join(''))
    const late = tasks.filter((task) => !isSettled(task))
    if (late.length > 0) context.note(`the time is up; not ended: ${late.map(({ id }) => id).join(', ')}`)
    return outcomeCode(tasks)
  },
})

/** The longest that a timer can be set to: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1
