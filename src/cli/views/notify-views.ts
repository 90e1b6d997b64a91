import type { Channel, Notification } from '../../domain/notify/notify'
import { DEFAULT_EVENTS } from '../../domain/notify/notify-event'
import { quietSpanText } from '../../domain/notify/quiet-hours'
import { age, duration } from '../print/measures'
import { table } from '../print/table'
import type { ViewSettings } from './session/session-views'

export const channelTable = (channels: readonly Channel[], { columns }: ViewSettings): string =>
  table(
    channels,
    [
      { title: 'NAME', cell: (c) => c.name, max: 24 },
      { title: 'KIND', cell: (c) => c.kind },
      { title: 'TELLS', cell: (c) => tells(c), max: 30 },
      { title: 'WHEN', cell: (c) => when(c), max: 40, spare: 1 },
      { title: 'TARGET', cell: (c) => c.target ?? 'this machine', flexible: 16 },
    ],
    columns,
  )

function tells({ events, project }: Channel): string {
  const isUsual = events.length === DEFAULT_EVENTS.length && DEFAULT_EVENTS.every((one) => events.includes(one))
  const what = isUsual ? 'what needs you' : events.join(', ')
  return project === null ? what : `${what} in ${project}`
}

function when({ afterMs, quiet }: Channel): string {
  const parts = [
    afterMs === 0 ? null : `after ${duration(afterMs)}`,
    quiet === null ? null : `not ${quietSpanText(quiet)}`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'at once' : parts.join(', ')
}

export const notificationTable = (log: readonly Notification[], { now, columns }: ViewSettings): string =>
  table(
    log,
    [
      { title: 'AGE', cell: (n) => age(n.createdAt, now), align: 'right' },
      { title: 'CHANNEL', cell: (n) => n.channel, max: 24, spare: 1 },
      { title: 'EVENT', cell: (n) => n.event },
      { title: 'STATUS', cell: (n) => n.status },
      { title: 'TITLE', cell: (n) => (n.error === null ? n.title : `${n.title}: ${n.error}`), flexible: 20 },
    ],
    columns,
  )
