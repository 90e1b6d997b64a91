import { NEED_KINDS } from '../overview/need'

/**
 * What a channel may be told of: each kind of need, an agent CLI that reached its usage limit, and a task that was completed. `budget`: also
 * one that is nearly used up.
 */
export const NOTIFY_EVENTS = [...NEED_KINDS, 'limit', 'finished'] as const
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number]

/** What a channel is told of unless it says otherwise: what waits for a person, or went wrong. */
export const DEFAULT_EVENTS: readonly NotifyEvent[] = [
  'question',
  'waiting',
  'failure',
  'budget',
  'limit',
  'request',
  'stuck',
  'lost',
]
