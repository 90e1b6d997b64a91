import { createMcpHandler } from '@modelcontextprotocol/server'
import { AppError } from '../domain/errors'
import type { ToolHost } from './host'
import { createMcpServer } from './server'

/** Nobody has a use for more: the list of tools never changes. */
const MAX_SUBSCRIPTIONS = 16

const handler = createMcpHandler(
  ({ authInfo }) => {
    const host = authInfo?.extra?.host
    if (host === undefined) throw new AppError('internal', 'a request of MCP came without its host')
    return createMcpServer(host as ToolHost)
  },
  { maxSubscriptions: MAX_SUBSCRIPTIONS },
)

/**
 * Answers a request of `/mcp`, of the protocol's revisions 2025-03-26 to 2025-11-25 and 2026-07-28. Each stands alone: there are
 * no sessions, so any server answers any request.
 *
 * @param body  the JSON of a POST, read and bounded by the caller
 */
export function answerMcp(request: Request, body: unknown, host: ToolHost): Promise<Response> {
  const authInfo = { token: '', clientId: host.caller, scopes: [], extra: { host } }
  return handler.fetch(request, { authInfo, ...(body !== undefined && { parsedBody: body }) })
}
