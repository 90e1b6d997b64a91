import { AppError } from '../../domain/errors'
import type { Address } from '../../domain/ids'
import { ATTACHED_MS, type Attachment, type AttachmentRow, REGISTRY_LIMITS } from '../../domain/registry'
import { quoted } from '../unit/find-task'
import { randomName } from '../unit/secrets'
import type { Unit } from '../unit/unit'
import { checkName, knownSession } from './register'
import type { AttachClient, AttachedClient } from './registry-inputs'

/** Attaches a client, or knows one again that restarted. */
export async function attachClient(unit: Unit, id: string, { client, host }: AttachClient): Promise<AttachedClient> {
  checkName('client', client)
  checkName('host', host)
  const at = await knownSession(unit, id)
  const all = await attached(unit, at)
  const same = all.find((one) => one.client === client && one.host === host)
  if (same === undefined && all.length >= REGISTRY_LIMITS.attachments)
    throw new AppError('too_large', `${all.length} clients are already attached to ${at}, the maximum.`, {
      hint: 'Detach the clients that are gone.',
      details: { limit: REGISTRY_LIMITS.attachments, unit: 'clients' },
    })
  const row: AttachmentRow = {
    id: same?.id ?? `at-${randomName(8, unit.random)}`,
    address: at,
    client,
    host,
    attachedAt: same?.attachedAt ?? unit.now,
    lastSeenAt: unit.now,
  }
  await unit.registry.putAttachment(row)
  await sawClient(unit, at)
  await unit.feed('address.updated', { address: at, what: 'attached', client, host })
  const others = all.filter((one) => one.id !== row.id)
  return { address: at, attachment: shown(row), isReattached: same !== undefined, others: others.map(shown) }
}

export async function detachClient(
  unit: Unit,
  id: string,
  which: { attachmentId: string } | AttachClient,
): Promise<{ address: Address; others: Attachment[] }> {
  const at = await knownSession(unit, id)
  const all = await attached(unit, at)
  const one = all.find((row) =>
    'attachmentId' in which ? row.id === which.attachmentId : row.client === which.client && row.host === which.host,
  )
  if (one === undefined || !(await unit.registry.endAttachment(at, one.id, unit.now)))
    throw new AppError('not_found', `${nameOf(which)} is not attached to ${at}.`, {
      hint: all.length === 0 ? 'No client is attached.' : `Attached are: ${all.map((row) => row.id).join(', ')}.`,
    })
  await unit.feed('address.updated', { address: at, what: 'detached', client: one.client, host: one.host })
  return { address: at, others: all.filter((row) => row.id !== one.id).map(shown) }
}

const attached = async (unit: Unit, at: Address): Promise<AttachmentRow[]> =>
  await unit.registry.attachments(at, unit.now - ATTACHED_MS)

async function sawClient(unit: Unit, at: Address): Promise<void> {
  const row = await unit.registry.registration(at)
  if (row !== undefined) await unit.registry.putRegistration({ ...row, lastSeenAt: unit.now })
}

const nameOf = (which: { attachmentId: string } | AttachClient): string =>
  'attachmentId' in which ? quoted(which.attachmentId) : `${quoted(which.client)} on ${quoted(which.host)}`

const shown = ({ address: _, attachedAt, lastSeenAt, ...row }: AttachmentRow): Attachment => ({
  ...row,
  attachedAt: new Date(attachedAt).toISOString(),
  lastSeenAt: new Date(lastSeenAt).toISOString(),
})
