import { actorOf } from '../../../../engine/audit/record-act'
import { secrets } from '../../../contract/operations/access/secrets'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import { resolveSessionId } from '../../find/find-session'
import { handle } from '../../handler'

export const listSecrets = handle(secrets.list, async ({ query }, context) => {
  const { limit = DEFAULT_PAGE_LIMIT, cursor, id, sessionId } = query
  const session = sessionId === undefined ? undefined : await resolveSessionId(sessionId, context)
  const page = await context.store.secrets.list(
    { id, sessionId: session },
    { limit, ...(cursor !== undefined && { cursor }) },
  )
  return { secrets: page.rows, nextCursor: page.nextCursor }
})

export const scanSecrets = handle(secrets.scan, (_call, { services }) => services.scanSecrets())

export const eraseSecret = handle(secrets.erase, ({ caller, params }, { services }) =>
  services.eraseSecret(params.id, actorOf(caller)),
)
