import type { FeedReads } from '../domain/feed'
import type { Store } from '../domain/store'
import type { ReadContext } from './sql/read-context'

/** Reads that sum up much and that few commands ask for: loaded with the first question. */
export function dashboardReads(
  context: ReadContext,
  feed: Pick<FeedReads, 'head'>,
): Pick<Store, 'tree' | 'costs' | 'days' | 'fleet'> {
  return {
    tree: {
      level: async (request) => (await import('./tree-levels/tree-reads')).treeReads(context, feed).level(request),
    },
    costs: {
      sum: async (request) => (await import('./costs/cost-reads')).costReads(context).sum(request),
      overTime: async (request) => (await import('./costs/cost-reads')).costReads(context).overTime(request),
      ofTasks: async (ids) => (await import('./costs/cost-reads')).costReads(context).ofTasks(ids),
      replay: async (session) => (await import('./costs/cost-reads')).costReads(context).replay(session),
    },
    days: {
      lanes: async (scope) => (await import('./day/day-lanes')).readDay(context, scope),
      moment: async (...call) => (await import('./day/day-moment')).readMoment(context, ...call),
    },
    fleet: { show: async (...call) => (await import('./fleet/fleet-reads')).fleetReads(context).show(...call) },
  }
}
