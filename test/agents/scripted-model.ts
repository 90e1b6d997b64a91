/**
 * A model of which every answer is known: it speaks the Responses API on loopback, for CLIs that take an address of a model.
 *
 * The last `@@name` of a person's message picks the script; the number of answers since that message picks the step.
 */

import { type Piece, type Say, streamed, wordsOf } from './streamed'

/** One answer of the model: texts and calls, in this order; or a failure, told once, after which the next step follows. */
export type Step = (Say | Call | Stop)[] | Failure
/** Why the answer ends, where it is no usual reason. */
interface Stop {
  stop: string
}
interface Failure {
  status: number
  /** As the API words it; a text is the whole answer. */
  error: object | string
  headers?: Record<string, string>
}
interface Call {
  tool: string
  namespace?: string
  args: object
}

export interface ScriptedModel extends Disposable {
  /** What the CLI is given as the address of its provider. */
  readonly url: string
  /** What it was sent, oldest first. */
  readonly requests: readonly ModelInput[]
  /** The same as texts. */
  readonly shown: readonly string[]
}

/** The conversation of a request, as the Responses API has it. */
export type ModelInput = readonly Item[]

export function scriptedModel(scripts: Readonly<Record<string, readonly Step[]>>): ScriptedModel {
  const requests: ModelInput[] = []
  const shown: string[] = []
  const told = new Set<Step>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (!new URL(request.url).pathname.endsWith('/responses')) return new Response('{}', { status: 404 })
      const { input = [] } = (await request.json()) as { input?: Item[] }
      requests.push(input)
      shown.push(JSON.stringify(input))
      const step = stepFor(scripts, input, told)
      if (Array.isArray(step)) return streamed(piecesOf(`resp_${requests.length}`, step))
      told.add(step)
      const { status, error, headers = {} } = step
      return typeof error === 'string'
        ? new Response(error, { status, headers })
        : Response.json({ error }, { status, headers })
    },
  })
  return { url: `${server.url}v1`, requests, shown, [Symbol.dispose]: () => void server.stop(true) }
}

export interface Item {
  type?: string
  role?: string
  name?: string
  call_id?: string
  output?: unknown
  content?: { text?: string; encrypted_content?: string }[]
}

function stepFor(scripts: Readonly<Record<string, readonly Step[]>>, input: Item[], told: ReadonlySet<Step>): Step {
  let steps: readonly Step[] = [[{ text: 'ok' }]]
  let answers = 0
  let wasModel = false
  for (const item of input) {
    const isModel = item.role === 'assistant' || /_call$|^reasoning$/.test(item.type ?? '')
    if (isModel && !wasModel) answers++
    wasModel = isModel
    if (item.role !== 'user' && item.type !== 'agent_message') continue
    const text = item.content?.map((part) => part.text ?? part.encrypted_content ?? '').join('\n') ?? ''
    const named = [...text.matchAll(/@@(\w+)/g)].flatMap(([, name]) => scripts[name ?? ''] ?? []).length > 0
    if (!named) continue
    steps = scripts[[...text.matchAll(/@@(\w+)/g)].at(-1)?.[1] ?? ''] ?? steps
    answers = 0
  }
  const left = steps.filter((step) => !told.has(step))
  return left[Math.min(answers, left.length - 1)] ?? []
}

/** Tokens of every answer. */
export const USAGE = { input: 1_000, cached: 400, output: 20 } as const

function piecesOf(id: string, step: (Say | Call | Stop)[]): Piece[] {
  const output = step.flatMap((part, n) => ('stop' in part ? [] : itemOf(`${id}_${n}`, part)))
  const stop = step.flatMap((part) => ('stop' in part ? part.stop : []))[0]
  const { input, cached, output: out } = USAGE
  const usage = {
    ...{ input_tokens: input, input_tokens_details: { cached_tokens: cached } },
    ...{ output_tokens: out, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: input + out },
  }
  const said = step.flatMap((part) => ('stop' in part ? [] : part))
  const done = output.flatMap((item, output_index): Piece[] => [
    ...deltasOf(said[output_index], item, output_index),
    { text: sent({ type: 'response.output_item.done', output_index, item }) },
  ])
  const last =
    stop === undefined
      ? { type: 'response.completed', response: { id, status: 'completed', output, usage } }
      : {
          type: 'response.incomplete',
          response: { id, status: 'incomplete', incomplete_details: { reason: stop }, output, usage },
        }
  return [{ text: sent({ type: 'response.created', response: { id } }) }, ...done, { text: sent(last) }]
}

const sent = (event: { type: string } & Record<string, unknown>): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A text that is said slowly comes in parts before it is done. */
function deltasOf(part: Say | Call | undefined, item: { id: string }, output_index: number): Piece[] {
  if (part === undefined || !('text' in part) || part.pauseMs === undefined) return []
  const { pauseMs } = part
  const added = { type: 'response.output_item.added', output_index, item: { ...item, content: [] } }
  return [
    { text: sent(added) },
    ...wordsOf(part).map((delta) => {
      const of = { item_id: item.id, output_index, content_index: 0 }
      const event = { type: 'response.output_text.delta', ...of, delta }
      return { text: sent(event), afterMs: pauseMs }
    }),
  ]
}

function itemOf(id: string, part: Say | Call): { id: string } & Record<string, unknown> {
  if ('text' in part)
    return {
      id: `msg_${id}`,
      ...{ type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: part.text, annotations: [] }],
    }
  return {
    id: `fc_${id}`,
    ...{ type: 'function_call', status: 'completed', call_id: `call_${id}`, name: part.tool },
    ...(part.namespace !== undefined && { namespace: part.namespace }),
    arguments: JSON.stringify(part.args),
  }
}
