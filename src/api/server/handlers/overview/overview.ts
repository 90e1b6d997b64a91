import type { StatusSettings } from '../../../../domain/overview/shown-status'
import { checkDismissal, readOverview } from '../../../../engine/overview/overview'
import { needs, overview } from '../../../contract/operations/overview'
import type { Context } from '../../context'
import { catchUp } from '../../find/find-session'
import { handle } from '../../handler'

/** What finished before that is asked for by its time. */
const DAY_MS = 86_400_000
const DEFAULT_LIMIT = 100

export const showOverview = handle(overview, async ({ query }, context) => {
  await catchUp(null, context)
  const at = context.now()
  const since = query.since === undefined ? at - DAY_MS : Date.parse(query.since)
  const asked = { since, limit: query.limit ?? DEFAULT_LIMIT }
  const answer = await readOverview(context.store, at, await needSettings(context), asked)
  return { now: new Date(at).toISOString(), ...answer }
})

export const dismissNeed = handle(needs.dismiss, async ({ body, caller }, context) => {
  const { store, services } = context
  await catchUp(null, context)
  await checkDismissal(store, body.id, context.now(), await needSettings(context))
  const { at } = await services.needs.dismiss(body.id, caller.user?.name ?? 'a person')
  return { id: body.id, at: new Date(at).toISOString() }
})

/** What needs are worked out by. */
export const needSettings = async ({ services }: Context): Promise<StatusSettings> => ({
  stuckAfterMs: services.stuckAfterMs,
  askingTools: await services.agentLines.askingTools(null),
})
