import type { TaskId } from '../../../domain/ids'
import type { SecretMask } from '../../../domain/secrets/mask'
import { isFinal, type TaskLogLine } from '../../../domain/task/task'
import type { TaskReads } from '../../../domain/task/task-store'
import { pulledStream, type StreamEnd } from './pulled-stream'
import { sleepUntil } from './sleep-until'
import type { WorkWatch } from './work-watch'

export interface TaskLogStreamOptions {
  task: TaskId
  /** The id of the last line that the follower has. */
  after: number
  /** Silence after which the log is looked at anyway, in milliseconds. */
  checkIntervalMs: number
  heartbeatMs: number
  stallMs: number
  /** Hides secrets in entries. */
  mask: SecretMask
  signal: AbortSignal
  onEnd: (why: StreamEnd, error?: unknown) => void
}

const PAGE_LINES = 100

/**
 * A task's log as server-sent events: lines as they come, then one event `end` with the task, when it is final and no attempt of it
 * is at work any more.
 */
export function taskLogStream(
  tasks: TaskReads,
  watch: WorkWatch,
  options: TaskLogStreamOptions,
): ReadableStream<Uint8Array> {
  const { task, checkIntervalMs: lookMs, heartbeatMs } = options
  let { after } = options
  let isOver = false
  let spokeAt = performance.now()
  let grew = Promise.withResolvers<void>()
  const stop = watch.followLog(
    task,
    () => grew.resolve(),
    () => pulled.end(),
  )

  async function next(over: AbortSignal): Promise<string | null> {
    while (!over.aborted && !isOver) {
      grew = Promise.withResolvers()
      // The end is looked for before the lines: what was said before it is then among them.
      const end = await findEnd()
      const lines = await tasks.log(task, after, PAGE_LINES)
      after = lines[lines.length - 1]?.id ?? after
      isOver = end !== null && lines.length < PAGE_LINES
      const text = lines.map(frame).join('') + (isOver ? end : '')
      if (text !== '') return speak(text)
      await sleepUntil(grew.promise, lookMs, over)
      if (performance.now() - spokeAt >= heartbeatMs) return speak(':\n\n')
    }
    return null
  }

  async function findEnd(): Promise<string | null> {
    const found = await tasks.find(task)
    if (found === undefined || !isFinal(found.status)) return null
    if ((await tasks.attempts(task)).some((attempt) => attempt.isLive)) return null
    return `event: end\ndata: ${JSON.stringify({ task: found })}\n\n`
  }

  function speak(text: string): string {
    spokeAt = performance.now()
    return text
  }

  const pulled = pulledStream({
    mask: options.mask,
    first: `retry: 1000\nid: ${after}\n\n`,
    next,
    stallMs: options.stallMs,
    signal: options.signal,
    onEnd(why, error) {
      stop()
      options.onEnd(why, error)
    },
  })
  return pulled.stream
}

const frame = (line: TaskLogLine) => `id: ${line.id}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`
