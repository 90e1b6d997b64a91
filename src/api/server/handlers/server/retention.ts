import { HOLD_REASONS, type HoldReason, type OldSession } from '../../../../domain/session/retention'
import { DAY_MS } from '../../../../domain/time-units'
import { retention } from '../../../contract/operations/server'
import { handle } from '../../handler'

/** Sessions that an answer names: the oldest. */
const MAX_NAMED = 20

export const showRetention = handle(retention, async ({ query }, { store, services }) => {
  const chosen = services.retentionDays
  const days = query.days ?? chosen
  const old =
    days === null ? [] : await store.retention.oldSessions(Date.now() - days * DAY_MS, services.recalls.linkFrom)
  const going = old.filter(({ heldBy }) => heldBy === null)
  return {
    chosen,
    days,
    count: going.length,
    bytes: going.reduce((sum, { bytes }) => sum + bytes, 0),
    oldest: timeOf(going[0]),
    newest: timeOf(going.at(-1)),
    sessions: going.slice(0, MAX_NAMED).map(({ id, title, lastEventAt, bytes }) => ({
      id,
      title,
      lastEventAt: new Date(lastEventAt).toISOString(),
      bytes,
    })),
    held: Object.fromEntries(
      HOLD_REASONS.map((reason) => [reason, old.filter(({ heldBy }) => heldBy === reason).length]),
    ) as Record<HoldReason, number>,
  }
})

const timeOf = (session: OldSession | undefined): string | null =>
  session === undefined ? null : new Date(session.lastEventAt).toISOString()
