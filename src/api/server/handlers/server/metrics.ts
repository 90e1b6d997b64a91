import type { QueueFigures } from '../../../../domain/record/journal-store'
import type { Store } from '../../../../domain/store'
import { metrics as operation } from '../../../contract/operations/server'
import { handle } from '../../handler'
import { OPEN_METRICS_TYPE, openMetrics } from '../../metrics/open-metrics'
import { databaseMetrics, processMetrics } from '../../metrics/server-metrics'
import { unitMetric } from '../../metrics/unit-metrics'

/** Milliseconds that the database has: a scrape gives up after ten seconds, and what the server knows by itself is worth having. */
const ANSWER_MS = 3_000

/** Serves figures of this server and of the queue, for Prometheus and the like. */
export const metrics = handle(
  operation,
  async ({ headers }, { store, version, now, startedAt, times, unitTimes, ring, ...context }) => {
    const figures = await figuresOf(store)
    const text = openMetrics([
      ...processMetrics({
        version,
        uptimeMs: Math.max(0, now() - startedAt),
        followers: ring.followerCount(),
        waiters: context.watch.waiterCount() + context.mail.waiterCount(),
      }),
      ...databaseMetrics(figures),
      times.metric(),
      ...(unitTimes === undefined ? [] : [unitMetric(unitTimes)]),
    ])
    return new Response(text, { headers: { ...headers, 'content-type': OPEN_METRICS_TYPE } })
  },
)

/** `null` = the database does not answer. */
async function figuresOf({ diagnostics }: Pick<Store, 'diagnostics'>): Promise<QueueFigures | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ANSWER_MS)
  })
  try {
    return await Promise.race([diagnostics.queue().catch(() => null), late])
  } finally {
    clearTimeout(timer)
  }
}
