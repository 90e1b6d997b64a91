import { AppError } from '../../../../domain/errors'
import { DAY_MS } from '../../../../domain/time-units'
import { readDigest } from '../../../../engine/overview/digest'
import { KEPT_MS } from '../../../../engine/overview/need-service'
import { checkDismissal, readOverview } from '../../../../engine/overview/overview'
import { digest, needs, overview } from '../../../contract/operations/overview'

import { checkAgentCli } from '../../find/find-agent-cli'
import { catchUp } from '../../find/find-session'
import { handle } from '../../handler'
import { needSettings } from '../../need-settings'

const DEFAULT_LIMIT = 100
/** What was before nobody asks a digest about. */
const MOST_DIGEST_MS = 90 * DAY_MS
/** As long as what a person decided about needs is kept. */
const MOST_SNOOZE_MS = KEPT_MS

export const showOverview = handle(overview, async ({ query }, context) => {
  checkAgentCli(query.agent, context)
  await catchUp(null, context)
  const at = context.now()
  const since = query.since === undefined ? at - DAY_MS : Date.parse(query.since)
  const { agent, cause, skip } = query
  const asked = { since, limit: query.limit ?? DEFAULT_LIMIT, agent, cause, skip }
  const answer = await readOverview(context.store, at, await needSettings(context), asked)
  return { now: new Date(at).toISOString(), ...answer }
})

export const showDigest = handle(digest, async ({ query }, context) => {
  checkAgentCli(query.agent, context)
  await catchUp(null, context)
  const at = context.now()
  const since = query.since === undefined ? at - DAY_MS : Date.parse(query.since)
  return await readDigest(context.store, at, await needSettings(context), {
    since: Math.max(at - MOST_DIGEST_MS, Math.min(since, at)),
    agent: query.agent,
  })
})

export const dismissNeed = handle(needs.dismiss, async ({ body, caller }, context) => {
  const { store, services } = context
  await catchUp(null, context)
  await checkDismissal(store, body.id, context.now(), await needSettings(context))
  const { at } = await services.needs.dismiss(body.id, caller.user?.name ?? 'a person')
  return { id: body.id, at: new Date(at).toISOString() }
})

export const snoozeNeed = handle(needs.snooze, async ({ body, caller }, context) => {
  const { store, services } = context
  const { id } = body
  const until = Date.parse(body.until)
  if (until > context.now() + MOST_SNOOZE_MS)
    throw new AppError('invalid', 'A need can be put off for 90 days at most.', { hint: 'Dismiss it instead.' })
  await catchUp(null, context)
  await checkDismissal(store, id, context.now(), await needSettings(context))
  await services.needs.snooze(id, caller.user?.name ?? 'a person', until)
  return { id, until: new Date(until).toISOString() }
})
