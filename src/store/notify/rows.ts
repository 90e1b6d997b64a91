import type { ChannelRow, NotificationRow } from '../../domain/notify/notify'
import { columnsOf } from '../sql/columns'

export const CHANNEL = columnsOf<ChannelRow>()('notify_channels', {
  named: { key: 'id' },
  kept: { events: 'json', quiet: 'json' },
  without: [],
})

export const NOTIFICATION = columnsOf<NotificationRow>()('notifications', {
  named: { key: 'id', id: 'public_id' },
  kept: {},
  without: [],
})
