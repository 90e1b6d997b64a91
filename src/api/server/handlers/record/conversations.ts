import { kindOf } from '../../../../domain/access/caller-kind'
import { AppError } from '../../../../domain/errors'
import { eventId } from '../../../../domain/ids'
import { files } from '../../../contract/operations/attempts'
import { conversations } from '../../../contract/operations/sessions'
import { LAST_UUID_HEADER } from '../../../contract/protocol'
import { requireFor } from '../../callers/authorize'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'
import { readRawBytes } from '../../request/read-body'

export const snapshotSession = handle(conversations.snapshot, async ({ caller, params, query, headers }, context) => {
  const { mask } = context
  const { id } = await getSession(params.id, context)
  await requireFor(conversations.snapshot, caller, id, context)
  const snapshot = await context.services.snapshot(id, query.at === undefined ? null : eventId(query.at.toLowerCase()))
  if (snapshot === null) throw new AppError('not_found', `Session ${id} has no finished turn.`)
  const bytes =
    kindOf(caller) === 'operator' || kindOf(caller) === 'worker' ? snapshot.bytes : mask.bytes(snapshot.bytes)
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: { ...headers, 'content-type': 'application/octet-stream', [LAST_UUID_HEADER]: snapshot.lastUuid },
  })
})

export const appendFile = handle(files.append, async ({ agent, query, request }, { services, limits }) => {
  const { hostName, hostname, isGone = false, isAnew = false, ...file } = query
  const bytes = await readRawBytes(request, { maxBytes: limits.rawBodyBytes, timeoutMs: limits.bodyTimeoutMs })
  const { size, outcome } = await services.appendRemote(
    { name: hostName, hostname },
    { ...file, isGone, isAnew },
    bytes,
    agent !== null,
  )
  return { size, eventsAdded: outcome?.eventsAdded ?? 0 }
})
