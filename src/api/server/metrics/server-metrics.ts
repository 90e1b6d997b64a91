import type { QueueFigures } from '../../../domain/record/journal-store'
import type { Metric } from './open-metrics'

/** What a server knows of itself without asking anybody. */
export interface OwnFigures {
  version: string
  uptimeMs: number
  followers: number
  waiters: number
}

export function processMetrics({ version, uptimeMs, followers, waiters }: OwnFigures): Metric[] {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const cpu = (state: string, micros: number) => ({
    suffix: '_total',
    labels: { cpu_mode: state },
    value: micros / 1_000_000,
  })
  return [
    {
      name: 'target',
      type: 'info',
      help: 'The program.',
      samples: [{ suffix: '_info', labels: { service_name: 'lodeline', service_version: version }, value: 1 }],
    },
    gauge('process_uptime_seconds', 'seconds', 'How long this server runs.', uptimeMs / 1_000),
    gauge('process_memory_usage_bytes', 'bytes', 'Physical memory of this process.', rss),
    gauge('lodeline_memory_heap_bytes', 'bytes', 'Memory of live values of this process.', heapUsed),
    {
      name: 'process_cpu_time_seconds',
      type: 'counter',
      unit: 'seconds',
      help: 'CPU time of this process.',
      samples: [cpu('user', user), cpu('system', system)],
    },
    gauge('lodeline_feed_followers', undefined, 'Connections that follow the feed of this server.', followers),
    gauge('lodeline_polls_waiting', undefined, 'Polls and calls for messages that wait at this server.', waiters),
  ]
}

/** @param figures  `null` = the database does not answer */
export function databaseMetrics(figures: QueueFigures | null): Metric[] {
  const up = gauge('lodeline_database_up', undefined, 'Whether the database answers: 1 or 0.', figures === null ? 0 : 1)
  if (figures === null) return [up]
  const byStatus = (counts: Readonly<Record<string, number>>, label: string) =>
    Object.entries(counts).map(([status, value]) => ({ labels: { [label]: status }, value }))
  return [
    up,
    {
      name: 'lodeline_tasks',
      type: 'gauge',
      help: 'Tasks that are not final, by status.',
      samples: byStatus(figures.tasks, 'lodeline_task_status'),
    },
    gauge('lodeline_attempts', undefined, 'Attempts that hold a lease.', figures.attempts),
    gauge('lodeline_leases_overdue', undefined, 'Leases that have run out and were not ended yet.', figures.overdue),
    gauge('lodeline_questions', undefined, 'Questions that wait for an answer.', figures.questions),
    {
      name: 'lodeline_messages',
      type: 'gauge',
      help: 'Messages that are not consumed, by status.',
      samples: byStatus(figures.messages, 'lodeline_message_status'),
    },
    {
      name: 'lodeline_feed_entries',
      type: 'counter',
      help: 'Changes that were recorded: the number of the newest entry of the feed.',
      samples: [{ suffix: '_total', value: figures.feedSeq }],
    },
    gauge(
      'lodeline_feed_lag_seconds',
      'seconds',
      'How long the oldest entry waits for its number.',
      figures.feedLagMs / 1_000,
    ),
  ]
}

const gauge = (name: string, unit: string | undefined, help: string, value: number): Metric => ({
  name,
  type: 'gauge',
  ...(unit !== undefined && { unit }),
  help,
  samples: [{ value }],
})
