/**
 * The scripted model for CLIs that speak chat completions; see `scripted-model.ts`. A request without tools asks for a title.
 */
import { type ScriptedModel, type Step, USAGE } from './scripted-model'

export interface ScriptedChat extends ScriptedModel {
  /** What the CLI sent, oldest first. */
  readonly requests: readonly ChatRequest[]
}

export interface ChatRequest {
  messages: { role: string; content?: unknown; tool_calls?: unknown[] }[]
  tools?: { function: { name: string } }[]
}

/** What a request without tools is answered with. */
export const TITLE = 'A scripted title'

export function scriptedChat(scripts: Readonly<Record<string, readonly Step[]>>): ScriptedChat {
  const requests: ChatRequest[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (!new URL(request.url).pathname.endsWith('/chat/completions')) return new Response('{}', { status: 404 })
      const body = (await request.json()) as ChatRequest
      requests.push(body)
      const step = body.tools === undefined ? [{ text: TITLE }] : stepFor(scripts, body.messages)
      return new Response(streamOf(`chat_${requests.length}`, step), {
        headers: { 'content-type': 'text/event-stream' },
      })
    },
  })
  return { url: `${server.url}v1`, requests, [Symbol.dispose]: () => void server.stop(true) }
}

function stepFor(scripts: Readonly<Record<string, readonly Step[]>>, messages: ChatRequest['messages']): Step {
  let steps: readonly Step[] = [[{ text: 'ok' }]]
  let answers = 0
  for (const { role, content } of messages) {
    if (role === 'assistant') answers++
    if (role !== 'user') continue
    const found = [...JSON.stringify(content).matchAll(/@@(\w+)/g)].flatMap(([, name]) => scripts[name ?? ''] ?? [])
    if (found.length === 0) continue
    const last = [...JSON.stringify(content).matchAll(/@@(\w+)/g)].at(-1)?.[1] ?? ''
    steps = scripts[last] ?? steps
    answers = 0
  }
  return steps[Math.min(answers, steps.length - 1)] ?? []
}

function streamOf(id: string, step: Step): string {
  let calls = 0
  const deltas = step.map((part) =>
    'text' in part
      ? { content: part.text }
      : {
          tool_calls: [
            {
              ...{ index: calls, id: `call_${id}_${calls++}`, type: 'function' },
              function: { name: part.tool, arguments: JSON.stringify(part.args) },
            },
          ],
        },
  )
  const { input, cached, output } = USAGE
  const usage = {
    ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    prompt_tokens_details: { cached_tokens: cached },
  }
  const base = { id, object: 'chat.completion.chunk', created: 1_795_000_000, model: 'scripted-model' }
  const chunks = [
    { ...base, choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
    ...deltas.map((delta) => ({ ...base, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: calls > 0 ? 'tool_calls' : 'stop' }], usage },
  ]
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
}
