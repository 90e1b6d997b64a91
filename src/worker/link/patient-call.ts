/** A call of a tool that waits for a server: to an agent an error is the end of the call. */
import { isAway, wasNeverSent } from '../../api/client/several-servers'
import { toAppError } from '../../domain/errors'
import { Backoff, pause, within } from './backoff'

/** Milliseconds until which a call waits for a server that takes it. */
const PATIENCE_MS = 240_000
/** Claude Code 2.1.328 gives up a request of which nothing came in a minute: after this many milliseconds its answer begins as a stream. */
const BEGIN_MS = 20_000
/** Between two signs of life in it. */
const BEAT_MS = 15_000
const EVENTS = 'text/event-stream'
/** A code of JSON-RPC: the server's own. */
const AWAY_CODE = -32_000

export interface PatientCall {
  /** Sends it to the servers, once more each time. */
  send(): Promise<Response>
  /** Whether the caller takes a stream of events. */
  takesEvents: boolean
  /** The message, as it came. */
  body: ArrayBuffer | null
  signal: AbortSignal
}

/** Answers a call as the server does, however long none is there. @throws what `send` throws, when trying again is no use */
export async function answerCall(call: PatientCall, beginMs = BEGIN_MS): Promise<Response> {
  const answering = whenTaken(call)
  const early = await within(answering, beginMs)
  if (early !== undefined) return early
  if (!call.takesEvents) return await answering
  const events = eventsOf(answering, call)
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await events.return()),
  })
  return new Response(stream, { headers: { 'content-type': EVENTS, 'cache-control': 'no-cache, no-transform' } })
}

/** Sends again what no server took: one that is away, or without its database, has done nothing of it. */
async function whenTaken({ send, signal }: PatientCall): Promise<Response> {
  const backoff = new Backoff()
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const isLast = performance.now() >= until
    try {
      const answer = await send()
      if (isLast || !isAway(answer)) return answer
      await answer.body?.cancel()
    } catch (thrown) {
      if (isLast || !wasNeverSent(thrown)) throw thrown
    }
    await pause(backoff.next(), signal)
    signal.throwIfAborted()
  }
}

async function* eventsOf(answering: Promise<Response>, { body }: PatientCall): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  const event = (message: unknown) => encoder.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  try {
    for (;;) {
      const answer = await within(answering, BEAT_MS)
      if (answer === undefined) yield encoder.encode(': waiting for a server\n\n')
      else {
        if (!answer.ok) throw new Error(`The server refused the call (${answer.status}).`)
        if (answer.headers.get('content-type')?.startsWith(EVENTS))
          yield* (answer.body ?? []) as AsyncIterable<Uint8Array>
        else yield event(await answer.json())
        return
      }
    }
  } catch (thrown) {
    const { message } = toAppError(thrown)
    yield event({ jsonrpc: '2.0', id: idOf(body), error: { code: AWAY_CODE, message } })
  }
}

/** Whether a message to the tools calls one, which may be the agent's work; others ask what there is. */
export const isToolCall = (body: ArrayBuffer | null): boolean => messageIn(body).method === 'tools/call'

/** `null` = it has none. */
const idOf = (body: ArrayBuffer | null): unknown => messageIn(body).id ?? null

function messageIn(body: ArrayBuffer | null): { method?: unknown; id?: unknown } {
  try {
    return (JSON.parse(new TextDecoder().decode(body ?? new ArrayBuffer(0))) ?? {}) as {
      method?: unknown
      id?: unknown
    }
  } catch {
    return {}
  }
}
