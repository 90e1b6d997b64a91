/**
 * A model of which every answer is known: it speaks the chat completions API on loopback, for CLIs that take an address of a model.
 *
 * The last `@@name` of a person's message picks the script; the number of answers since that message picks the step.
 */

import { type Piece, type Say, streamed, wordsOf } from './streamed'

/** One answer of the model: thoughts, texts and calls, in this order; or a refusal. */
export type ChatStep = readonly (Thought | Say | Call | Stop)[] | Refusal
interface Thought {
  think: string
}
interface Call {
  tool: string
  args: object
}
/** Why the answer ends, where it is no usual reason. */
interface Stop {
  stop: string
}
interface Refusal {
  status: number
  /** As the API words it; a text is the whole answer. */
  error: object | string
  headers?: Record<string, string>
}

interface ChatMessage {
  role?: string
  content?: string | { text?: string }[] | null
}

/** What the model was sent. */
export interface ChatRequest {
  messages: ChatMessage[]
  tools?: { function?: { name?: string } }[]
}

export interface ScriptedChat extends Disposable {
  /** What the CLI is given as the address of its provider. */
  readonly url: string
  /** All that was sent, oldest first. */
  readonly requests: readonly ChatRequest[]
}

export type ChatScripts = Readonly<Record<string, readonly ChatStep[]>>

/** What a request without tools is answered with, where `hasTitles`. */
export const TITLE = 'A scripted title'

export interface ChatOptions {
  /** The CLI asks for a title by a request without tools. */
  hasTitles?: boolean
  /** A script that is named again, as a reminder of the task does, goes on instead of beginning anew. */
  goesOn?: boolean
}

export function scriptedChat(
  scripts: ChatScripts,
  { hasTitles = false, goesOn = false }: ChatOptions = {},
): ScriptedChat {
  const requests: ChatRequest[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (!new URL(request.url).pathname.endsWith('/chat/completions')) return new Response('{}', { status: 404 })
      const { messages = [], tools } = (await request.json()) as Partial<ChatRequest>
      requests.push({ messages, ...(tools && { tools }) })
      const step = hasTitles && tools === undefined ? [{ text: TITLE }] : stepFor(scripts, messages, goesOn)
      if ('status' in step) {
        const { status, error, headers = {} } = step
        return typeof error === 'string'
          ? new Response(error, { status, headers })
          : Response.json({ error }, { status, headers })
      }
      return streamed(piecesOf(`chat_${requests.length}`, step))
    },
  })
  return { url: `${server.url}v1`, requests, [Symbol.dispose]: () => void server.stop(true) }
}

/** The words of a message. */
export const chatText = ({ content }: ChatMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n')

function stepFor(scripts: ChatScripts, messages: readonly ChatMessage[], goesOn: boolean): ChatStep {
  let steps: readonly ChatStep[] = [[{ text: 'ok' }]]
  let answers = 0
  for (const message of messages) {
    if (message.role === 'assistant') answers++
    if (message.role !== 'user') continue
    const name = [
      ...chatText(message)
        .replace(REMINDER, '')
        .matchAll(/@@(\w+)/g),
    ].at(-1)?.[1]
    const found = name === undefined ? undefined : scripts[name]
    if (found === undefined || (goesOn && found === steps)) continue
    steps = found
    answers = 0
  }
  return steps[Math.min(answers, steps.length - 1)] ?? []
}

/** What a CLI puts in beside a person's words: it may quote them. */
export const REMINDER = /<system_reminder>.*?<\/system_reminder>/gs

/** Tokens of every answer; one that says nothing has no output. */
export const CHAT_USAGE = { input: 1_000, cached: 400, output: 20 } as const

function piecesOf(id: string, parts: readonly (Thought | Say | Call | Stop)[]): Piece[] {
  let calls = 0
  let stop: string | null = null
  const deltas = parts.flatMap((part): { delta: object; afterMs?: number }[] => {
    if ('stop' in part) {
      stop = part.stop
      return []
    }
    if ('think' in part) return [{ delta: { reasoning_content: part.think } }]
    if ('text' in part) return wordsOf(part).map((content) => ({ delta: { content }, afterMs: part.pauseMs ?? 0 }))
    const index = calls++
    const call = { name: part.tool, arguments: JSON.stringify(part.args) }
    return [{ delta: { tool_calls: [{ index, id: `call_${id}_${index}`, type: 'function', function: call }] } }]
  })
  const { input, cached } = CHAT_USAGE
  const output = deltas.length === 0 ? 0 : CHAT_USAGE.output
  const usage = {
    ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    prompt_tokens_details: { cached_tokens: cached },
  }
  const frame = { id, object: 'chat.completion.chunk', created: 1, model: 'scripted-model' }
  const data = (chunk: object): string => `data: ${JSON.stringify({ ...frame, ...chunk })}\n\n`
  const end = [
    { choices: [{ index: 0, delta: {}, finish_reason: stop ?? (calls > 0 ? 'tool_calls' : 'stop') }] },
    { choices: [], usage },
  ]
  return [
    ...deltas.map(({ delta, afterMs = 0 }) => ({
      text: data({ choices: [{ index: 0, delta: { role: 'assistant', ...delta } }] }),
      afterMs,
    })),
    { text: `${end.map(data).join('')}data: [DONE]\n\n` },
  ]
}
