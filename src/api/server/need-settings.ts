import type { StatusSettings } from '../../domain/overview/shown-status'
import type { Context } from './context'

/** Settings by which needs and statuses are derived. */
export const needSettings = async ({ services }: Context): Promise<StatusSettings> => ({
  stuckAfterMs: services.stuckAfterMs,
  askingTools: await services.agentLines.askingTools(null),
})
