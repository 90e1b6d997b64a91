import { verifyAudit } from '../../../../engine/audit/verify'
import { audit } from '../../../contract/operations/access/audit'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import { handle } from '../../handler'

export const listAudit = handle(audit.list, async ({ query }, { store }) => {
  const { limit = DEFAULT_PAGE_LIMIT, cursor, act, who, after, since } = query
  const filter = { act, who, after, since: since === undefined ? undefined : Date.parse(since) }
  const page = await store.audit.list(filter, { limit, ...(cursor !== undefined && { cursor }) })
  return { lines: page.rows, nextCursor: page.nextCursor }
})

export const checkAudit = handle(audit.verify, (_call, { store }) => verifyAudit(store.audit))
