import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Transport } from '../api/client/call'
import { createClient } from '../api/client/client'
import type { CallerKind } from '../api/contract/callers'
import { AppError } from '../domain/errors'
import type { AgentId, TaskId } from '../domain/ids'
import { VERSION } from '../util/version'
import type { ToolHost } from './host'
import { createMcpServer } from './server'

/** Nobody has a use for more: the list of tools never changes. */
const MAX_SUBSCRIPTIONS = 16

const handler = createMcpHandler(
  ({ authInfo }) => {
    const host = authInfo?.extra?.host
    if (host === undefined) throw new AppError('internal', 'An MCP request came without its host.')
    return createMcpServer(host as ToolHost)
  },
  { maxSubscriptions: MAX_SUBSCRIPTIONS },
)

export interface McpCaller {
  caller: CallerKind
  /** The task of the run that calls. */
  taskId: TaskId | null
  /** The agent whose token it is. */
  agentId: AgentId | null
  /** Sends a request to the server that this runs in, with the caller's token. */
  send: Transport
}

/**
 * Answers a request of `/mcp`, of the protocol's revisions up to 2025-11-25 and of 2026-07-28. Each stands alone: there are no
 * sessions, so any server answers any request.
 *
 * @param body  the JSON of a POST, read and bounded by the caller
 */
export function answerMcp(
  request: Request,
  body: unknown,
  { caller, taskId, agentId, send }: McpCaller,
): Promise<Response> {
  const client = createClient(send, { baseUrl: new URL(request.url).origin })
  const host: ToolHost = {
    caller,
    taskId,
    agentId,
    sessionId: null,
    place: { hostname: 'unknown', hostName: 'mcp', bootId: 'mcp', version: VERSION },
    joined: null,
    withClient: (use) => use(client, null),
  }
  const authInfo = { token: '', clientId: caller, scopes: [], extra: { host } }
  return handler.fetch(request, { authInfo, ...(body !== undefined && { parsedBody: body }) })
}
