import { NEED_KINDS } from '../overview/need'

/**
 * The events that a channel can report: each kind of need, an agent CLI that reached its usage limit, and a completed task. `budget`
 * includes a budget that is nearly used up.
 */
export const NOTIFY_EVENTS = [...NEED_KINDS, 'limit', 'finished'] as const
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number]

/** The events of a channel by default: what waits for a person, or went wrong. */
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
