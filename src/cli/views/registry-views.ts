import type { AddressAlias, Attachment, Registration, SessionWorker } from '../../domain/registry'
import { age } from '../print/measures'
import { fields, table } from '../print/table'
import { ago, type ViewSettings } from './session/session-views'

export function attachmentTable(attachments: readonly Attachment[], { now, columns }: ViewSettings): string {
  return table(
    attachments,
    [
      { title: 'ID', cell: (one) => one.id },
      { title: 'CLIENT', cell: (one) => one.client, max: 40 },
      { title: 'HOST', cell: (one) => one.host, max: 40 },
      { title: 'SEEN', cell: (one) => age(one.lastSeenAt, now), align: 'right' },
    ],
    columns,
  )
}

/** What is known of an address beside the record; nothing for a session that is its own address and nobody's. */
export function placeFields(
  place: {
    address: string
    session: { id: string } | null
    aliases: readonly AddressAlias[]
    registration: Registration | null
    worker: SessionWorker | null
  },
  now: number,
): string {
  const { address, session, aliases, registration: client, worker } = place
  const others = aliases.map(({ id, evidence }) => `${id} (${evidence})`)
  return fields([
    ['address', address === session?.id ? null : address],
    ['also known as', others.length === 0 ? null : others.join(', ')],
    ['client', client === null ? null : [client.client, client.host].filter((part) => part !== null).join(' on ')],
    ['named', client?.title ?? null],
    ['owner', client?.owner ?? null],
    ['client seen', client === null ? null : ago(client.lastSeenAt, now)],
    ['run', worker === null ? null : `${worker.attemptId} by ${worker.agentName}${worker.isLive ? ', live' : ''}`],
  ])
}
