import type { Transport } from '../../api/client/call'
import { statusOf } from '../../api/contract/error-codes'
import { mcp } from '../../api/contract/operations/server'
import { ERROR_HEADER } from '../../api/contract/protocol'
import { toAppError } from '../../domain/errors'
import { answerCall, isToolCall } from './patient-call'

export interface ServerRelay {
  /** What runs get in place of a server's address. */
  readonly url: string
  stop(): Promise<void>
}

/** Headers of one connection: they are not passed on. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'host',
  'content-length',
  'accept-encoding',
]
/** Headers of answers: the body comes decoded. */
const OF_ENCODING = ['content-encoding', 'content-length', 'transfer-encoding', 'connection']
/** Bytes of a request. The server takes fewer for all that runs ask. */
const MAX_BODY = 8 * 1_048_576

/**
 * One address on this machine for one server or several: a run's agent CLI, its tools and its hooks each know one address alone, and go on
 * when the server behind it is gone. A call of a tool that no server took waits until one does; what an agent CLI asks at its start does
 * not, or it would wait with it. Adds no right: what it passes on carries the caller's own token, and browsers are not let in.
 *
 * @param transport  of the servers, without a token of its own
 * @param target  an address that `transport` takes
 */
export function startServerRelay(transport: Transport, target: string): ServerRelay {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // Polls and streams are silent for long.
    idleTimeout: 0,
    maxRequestBodySize: MAX_BODY,
    async fetch(request) {
      // A name of somebody else's that leads here, or a page in a browser: neither is a run.
      if (request.headers.get('host') !== `127.0.0.1:${server.port}` || request.headers.has('origin'))
        return refusal('forbidden', 'This address is for runs of tasks only.')
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      for (const name of HOP_BY_HOP) headers.delete(name)
      const hasBody = request.method !== 'GET' && request.method !== 'HEAD' && request.body !== null
      const body = hasBody ? await request.arrayBuffer() : null
      try {
        const { method, signal } = request
        const send = () => transport(new Request(target + pathname + search, { method, headers, body, signal }))
        const waits = method === mcp.send.method && pathname === mcp.send.path && isToolCall(body)
        const takesEvents = request.headers.get('accept')?.includes('text/event-stream') === true
        const answer = waits ? await answerCall({ send, takesEvents, body, signal }) : await send()
        const given = new Headers(answer.headers)
        for (const name of OF_ENCODING) given.delete(name)
        return new Response(answer.body, { status: answer.status, headers: given })
      } catch (thrown) {
        return refusal('unavailable', toAppError(thrown).message)
      }
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

function refusal(code: 'forbidden' | 'unavailable', message: string): Response {
  return Response.json({ error: { code, message } }, { status: statusOf(code), headers: { [ERROR_HEADER]: code } })
}
