import { kindOf } from '../../../../domain/access/caller-kind'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { mcp } from '../../../contract/operations/server'
import type { Context } from '../../context'
import { type Call, handle } from '../../handler'
import { parseJsonBytes, readJsonBytes } from '../../request/read-body'

/**
 * Answers the Model Context Protocol: all methods of `/mcp`. What its tools do, they ask of this very app with the caller's own
 * token, so that MCP gives nobody a right that REST does not.
 */
async function answer({ request, caller, headers }: Call, context: Context): Promise<Response> {
  const body = request.method === 'POST' ? await readMessage(request, context) : undefined
  const { answerMcp } = await import('../../../../mcp/http')
  const answered = await answerMcp(request, body, {
    caller: kindOf(caller),
    taskId: taskOf(caller),
    agentId: caller.kind === 'agent' ? caller.agentId : null,
    send: (own) => context.fetch(asCaller(own, request), caller.peer === undefined ? {} : { remote: caller.peer }),
  })
  return new Response(answered.body, {
    status: answered.status,
    headers: { ...headers, ...Object.fromEntries(answered.headers) },
  })
}

export const receiveMessage = handle(mcp.send, answer)
export const refuseStream = handle(mcp.listen, answer)
export const refuseEnd = handle(mcp.end, answer)

async function readMessage(request: Request, { limits }: Context): Promise<unknown> {
  const bytes = await readJsonBytes(request, { maxBytes: limits.largeBodyBytes, timeoutMs: limits.bodyTimeoutMs })
  return parseJsonBytes(bytes)
}

const taskOf = (caller: Caller) => (caller.kind === 'attempt' ? caller.taskId : null)

/** With the host and the token of the request that it is done for: the guard looks at both. */
function asCaller(own: Request, original: Request): Request {
  for (const name of ['host', 'authorization']) {
    const value = original.headers.get(name)
    if (value !== null) own.headers.set(name, value)
  }
  return own
}
