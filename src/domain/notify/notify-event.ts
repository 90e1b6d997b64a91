import { NEED_KINDS, type NeedKind } from '../overview/need'

/** What a channel may be told of: each kind of need, and a task that was completed. */
export const NOTIFY_EVENTS = [...NEED_KINDS, 'finished'] as const
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number]

/** What a channel is told of unless it says otherwise: what waits for a person, or went wrong. */
export const DEFAULT_EVENTS: readonly NotifyEvent[] = [
  'question',
  'waiting',
  'failure',
  'request',
  'stuck',
  'lost',
] satisfies NeedKind[]
