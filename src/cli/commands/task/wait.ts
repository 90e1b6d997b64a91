import type { Task } from '../../../domain/task/task'
import { defineCommand } from '../../kit/command'
import { EXIT } from '../../kit/exit-codes'
import { parseSpan } from '../../print/moments'
import { isSettled, outcomeCode, outcomeText, waitForTask } from '../../tasks/wait-task'

export const command = defineCommand({
  summary: 'Wait for tasks to end; the exit code is their outcome',
  details: [
    'Waits until every task is completed, failed, cancelled, or paused by a person. Exit codes: 0 all completed, 21 one failed,',
    '22 one cancelled, 23 one paused, 24 timed out. If several apply, the lowest one is used.',
  ].join('\n'),
  args: [{ name: 'ID', help: 'task IDs, or unique prefixes of them', isRepeated: true, complete: 'task' }],
  options: { timeout: { kind: 'text', value: 'SPAN', help: 'wait at most this long, e.g. 10m' } },
  examples: [
    { line: 'lode task wait t-7f3k9q2m', does: 'wait until the task has ended' },
    { line: 'lode task wait t-7f3k t-9q2m --timeout 1h', does: 'wait for both, at most an hour' },
  ],
  async run(context, { args: ids, options }) {
    const spanMs = options.timeout === undefined ? undefined : parseSpan('--timeout', options.timeout)
    const connection = await context.connection()
    // Wrong ids are reported before the wait begins.
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
    context.answer({ tasks }, () => tasks.map(outcomeText).join(''))
    const late = tasks.filter((task) => !isSettled(task))
    if (late.length > 0) context.note(`timed out; still unfinished: ${late.map(({ id }) => id).join(', ')}`)
    return outcomeCode(tasks)
  },
})

/** The longest that a timer can be set to: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1
