/**
 * A model of which every answer is known: it speaks Google's generateContent on loopback, for CLIs that take an address of a model.
 *
 * The last `@@name` of a person's message picks the script; the number of answers since that message picks the step.
 */

/** One answer of the model: thoughts, texts and calls, in this order. */
export type GeminiStep = readonly ({ think: string } | { text: string } | { tool: string; args: object })[]
export type GeminiScripts = Readonly<Record<string, readonly GeminiStep[]>>

interface Content {
  role?: string
  parts?: { text?: string; functionResponse?: object }[]
}

export interface ScriptedGemini extends Disposable {
  /** What the CLI is given as the address of the model. */
  readonly url: string
  /** All conversations that were sent, oldest first. */
  readonly requests: readonly Content[][]
}

/** Tokens of every answer. */
export const GEMINI_USAGE = { input: 1_000, cached: 400, output: 20, thoughts: 5 } as const

export function scriptedGemini(scripts: GeminiScripts): ScriptedGemini {
  const requests: Content[][] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const method = /:(\w+)$/.exec(new URL(request.url).pathname)?.[1]
      const { contents = [] } = (await request.json()) as { contents?: Content[] }
      if (method === 'countTokens') return Response.json({ totalTokens: GEMINI_USAGE.input })
      requests.push(contents)
      const answer = answerOf(`call_${requests.length}`, stepFor(scripts, contents))
      if (method === 'generateContent') return Response.json(answer)
      if (method !== 'streamGenerateContent') return new Response('{}', { status: 404 })
      return new Response(`data: ${JSON.stringify(answer)}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return { url: server.url.origin, requests, [Symbol.dispose]: () => void server.stop(true) }
}

function stepFor(scripts: GeminiScripts, contents: readonly Content[]): GeminiStep {
  let steps: readonly GeminiStep[] = [[{ text: 'ok' }]]
  let answers = 0
  for (const { role, parts = [] } of contents) {
    if (role === 'model') answers++
    if (role !== 'user' || parts.some(({ functionResponse }) => functionResponse !== undefined)) continue
    const words = parts.map(({ text }) => text ?? '').join('\n')
    const found = scripts[[...words.matchAll(/@@(\w+)/g)].at(-1)?.[1] ?? '']
    if (found === undefined) continue
    steps = found
    answers = 0
  }
  return steps[Math.min(answers, steps.length - 1)] ?? []
}

function answerOf(id: string, step: GeminiStep): object {
  const parts = step.map((part, n) => {
    if ('think' in part) return { text: part.think, thought: true }
    return 'text' in part ? part : { functionCall: { id: `${id}_${n}`, name: part.tool, args: part.args } }
  })
  const { input, cached, output, thoughts } = GEMINI_USAGE
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: {
      ...{ promptTokenCount: input, cachedContentTokenCount: cached, candidatesTokenCount: output },
      ...{ thoughtsTokenCount: thoughts, totalTokenCount: input + output + thoughts },
    },
  }
}
