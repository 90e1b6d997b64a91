import type { StatusSettings } from '../../domain/overview/shown-status'
import type { Context } from './context'

/** What needs and statuses are worked out by. */
export const needSettings = async ({ services }: Context): Promise<StatusSettings> => ({
  stuckAfterMs: services.stuckAfterMs,
  askingTools: await services.agentLines.askingTools(null),
})
