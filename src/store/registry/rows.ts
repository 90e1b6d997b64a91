import type { AttachmentRow, RegistrationRow } from '../../domain/registry'
import { Columns } from '../tasks/columns'

export const REGISTRATION = new Columns<RegistrationRow>({
  address: 'address',
  kind: 'kind',
  client: 'client',
  host: 'hostname',
  project: 'project',
  title: 'title',
  owner: 'owner',
  capabilities: ['capabilities', 'json'],
  metadata: ['metadata', 'json'],
  createdAt: 'created_at',
  lastSeenAt: 'last_seen_at',
})

export const ATTACHMENT = new Columns<AttachmentRow>({
  id: 'public_id',
  address: 'address',
  client: 'client',
  host: 'host',
  attachedAt: 'attached_at',
  lastSeenAt: 'last_seen_at',
})
