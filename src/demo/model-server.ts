import { type ApiUsage, type ModelMessage, streamedMessage, wholeMessage } from './message-stream'
import { type ModelRequest, readModelRequest } from './model-request'
import { responseStream } from './response-stream'
import { ASKS_SUMMARY, type Scene, type Step } from './story'

/** What the model server gave out: the demo's own account of what the record must hold. */
export interface Ledger {
  /** Answers that stand in a transcript, by session and agent (`null` = main thread). */
  answers: { sessionId: string; agentId: string | null; usage: ApiUsage }[]
  /** Launching tool calls: the description given to the sub-agent → the call's id. */
  launches: Map<string, string>
  /** What the model was shown, in order. */
  requests: Pick<ModelRequest, 'sessionId' | 'agentId' | 'latest' | 'conversation'>[]
  /** What was shown by way of the Responses API, as JSON, in order. */
  responses: string[]
}

export interface ModelServerOptions {
  scenes: Scene[]
  /** Factor on every pause; 0 = none. */
  pace: number
  /** Told what the step says about itself, when it is given. */
  onStep: (step: Step) => void
  /** What is answered by way of the Responses API. */
  response?: string
}

export interface ModelServer {
  readonly baseUrl: string
  readonly ledger: Ledger
  stop(): Promise<void>
}

/** Answers the Messages API on a loopback port with the lines of the scenes, and the Responses API; anything unscripted is answered `ok`. */
export function startModelServer({ scenes, pace, onStep, response = 'ok' }: ModelServerOptions): ModelServer {
  const ledger: Ledger = { answers: [], launches: new Map(), requests: [], responses: [] }
  const ended = new Map(scenes.map((scene) => [scene.name, Promise.withResolvers<void>()] as const))
  let ids = 0
  const nextId = (prefix: string) => `${prefix}_demo${String(++ids).padStart(4, '0')}`

  const toMessage = (request: ModelRequest, step: Step): ModelMessage => {
    const content: ModelMessage['content'] = []
    if (step.text !== undefined) content.push({ type: 'text', text: step.text })
    for (const { name, input } of step.tools ?? []) {
      const id = nextId('toolu')
      if (name === 'Agent' && typeof input.description === 'string') ledger.launches.set(input.description, id)
      content.push({ type: 'tool_use', id, name, input })
    }
    const cached = request.answered > 0 ? Math.floor(request.tokens * 0.9) : 0
    const usage: ApiUsage = {
      input_tokens: (step.inputTokens ?? request.tokens) - cached,
      output_tokens: Math.ceil(JSON.stringify(content).length / 4),
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: 0,
    }
    return { id: nextId('msg'), model: request.model, content, usage }
  }

  const answer = async (request: ModelRequest): Promise<Response> => {
    const { sessionId, agentId, latest, conversation } = request
    ledger.requests.push({ sessionId, agentId, latest, conversation })
    const chosen = choose(scenes, request)
    const step: Step = chosen?.step ?? { text: 'ok', thinkMs: 0 }
    if (step.after) await ended.get(step.after)?.promise
    await Bun.sleep((step.thinkMs ?? 900) * pace)
    onStep(step)
    if (step.isAtLimit === true) return limitReached()
    const message = toMessage(request, step)
    // The answer to a request for a summary becomes a line that carries no usage.
    if (chosen && chosen.scene.prompt !== ASKS_SUMMARY) {
      ledger.answers.push({ sessionId, agentId, usage: message.usage })
    }
    if (chosen?.isLast) ended.get(chosen.scene.name)?.resolve()
    if (!request.isStreamed) return Response.json(wholeMessage(message))
    return new Response(toStream(streamedMessage(message), 30 * pace), {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
    })
  }

  const respond = async (text: string): Promise<Response> => {
    ledger.responses.push(text)
    await Bun.sleep(300 * pace)
    return new Response(responseStream(nextId('resp'), response, Math.ceil(text.length / 4)), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    // An answer may be held back for as long as another scene takes.
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (request.method === 'HEAD') return new Response(null)
      if (request.method !== 'POST') return notFound()
      if (pathname === '/v1/responses') return respond(await request.text())
      if (!pathname.startsWith('/v1/messages')) return notFound()
      const text = await request.text()
      const read = readModelRequest(request.headers, text)
      if (read === null) return apiError(400, 'invalid_request_error', 'not a request of the Messages API')
      if (pathname.endsWith('/count_tokens')) return Response.json({ input_tokens: read.tokens })
      return answer(read)
    },
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}`,
    ledger,
    stop: () => server.stop(true),
  }
}

interface Choice {
  scene: Scene
  step: Step
  isLast: boolean
}

/** The scene that is on for this agent, at the line that its conversation has reached. */
function choose(scenes: Scene[], request: ModelRequest): Choice | null {
  const who = request.agentId === null ? 'main' : 'subagent'
  const scene = scenes.find(
    (candidate) =>
      candidate.who === who &&
      hears(candidate, request).includes(candidate.prompt) &&
      request.conversation.includes(candidate.within ?? ''),
  )
  if (!scene) return null
  const last = scene.steps.length - 1
  const index = scene.prompt === ASKS_SUMMARY ? 0 : Math.min(request.answered, last)
  const step = scene.steps[index]
  return step ? { scene, step, isLast: index === last } : null
}

/** The request to summarise comes behind the conversation, whatever its last prompt was. */
const hears = (scene: Scene, request: ModelRequest): string =>
  scene.prompt === ASKS_SUMMARY ? request.latest : request.prompt

function toStream(events: Generator<string>, pauseMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const next = events.next()
      if (next.done) return controller.close()
      controller.enqueue(encoder.encode(next.value))
      if (pauseMs > 0) await Bun.sleep(pauseMs)
    },
  })
}

/** How long the account's limit holds, in seconds: longer than anybody watches. */
const LIMIT_SECONDS = 3_600

/** As the API of a subscription says it; the CLI is not to try again. */
function limitReached(): Response {
  const until = Math.floor(Date.now() / 1_000) + LIMIT_SECONDS
  const error = { type: 'rate_limit_error', message: `Claude AI usage limit reached|${until}` }
  return Response.json({ type: 'error', error }, { status: 429, headers: { 'x-should-retry': 'false' } })
}

const notFound = () => apiError(404, 'not_found_error', 'the demo serves the Messages API only')
const apiError = (status: number, type: string, message: string) =>
  Response.json({ type: 'error', error: { type, message } }, { status })
