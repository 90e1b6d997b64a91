import type { TaskId } from '../../../../domain/ids'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { tasks } from '../../../contract/operations/tasks'
import { requireFor } from '../../callers/authorize'
import type { Context } from '../../context'
import { getTask, settle } from '../../find/find-task'
import { handle } from '../../handler'
import { lastEventId } from '../../streams/last-event-id'
import { taskLogStream } from '../../streams/task-log-stream'

const DEFAULT_LINES = 200

export const taskLog = handle(tasks.log, async ({ caller, params, query, request, headers }, context) => {
  await settle(context)
  const task = await getTask(params.id, context)
  await requireFor(tasks.log, caller, task.id, context)
  if ((request.headers.get('accept') ?? '').includes('text/event-stream')) {
    const after = lastEventId(request) ?? query.after ?? 0
    const stream = follow(caller, task.id, after, request.signal, context)
    return new Response(stream, { headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' } })
  }
  const lines = await context.store.tasks.log(task.id, query.after ?? 0, query.limit ?? DEFAULT_LINES)
  return { lines, task }
})

function follow(
  caller: Caller,
  task: TaskId,
  after: number,
  signal: AbortSignal,
  { store, watch, limits, log, mask, seats }: Context,
): ReadableStream<Uint8Array> {
  const leave = seats.take(caller)
  const { logLookMs, heartbeatMs, stallMs } = limits
  return taskLogStream(store.tasks, watch, {
    task,
    after,
    checkIntervalMs: Math.min(logLookMs, heartbeatMs),
    heartbeatMs,
    stallMs,
    mask,
    signal,
    onEnd(why, error) {
      leave()
      const fields = { why, task }
      if (why === 'left' || why === 'done') log.debug('a task log follower disconnected', fields)
      else log.warn('a task log follower was disconnected', error === undefined ? fields : { ...fields, error })
    },
  })
}
