import type { InboxRow, ReplyRow, SourceRow } from '../../domain/inbox'
import { columnsOf } from '../sql/columns'

export const INBOX = columnsOf<InboxRow>()('inbox', {
  named: { key: 'id', id: 'public_id' },
  kept: {},
  without: [],
})

export const REPLY = columnsOf<ReplyRow>()('inbox_replies', {
  named: { key: 'id', id: 'public_id', inboxKey: 'inbox_id' },
  kept: {},
  without: [],
})

export const SOURCE = columnsOf<SourceRow>()('inbox_sources', {
  named: { lead: 'lead_address' },
  kept: { autoDelegate: 'flag' },
  without: ['id'],
})
