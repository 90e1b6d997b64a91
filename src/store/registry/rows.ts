import type { AttachmentRow, RegistrationRow } from '../../domain/registry'
import { columnsOf } from '../sql/columns'

export const REGISTRATION = columnsOf<RegistrationRow>()('registrations', {
  named: { host: 'hostname' },
  kept: { capabilities: 'json', metadata: 'json' },
  without: [],
})

export const ATTACHMENT = columnsOf<AttachmentRow>()('attachments', {
  named: { id: 'public_id' },
  kept: {},
  without: ['id', 'detached_at'],
})
