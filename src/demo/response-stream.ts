/** One answer of the Responses API, as server-sent events: a text, and the end of the turn. */
export function responseStream(id: string, text: string, tokens: number): string {
  const item = {
    ...{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text, annotations: [] }],
  }
  const written = Math.ceil(text.length / 4)
  const usage = {
    ...{ input_tokens: tokens, input_tokens_details: { cached_tokens: 0 }, output_tokens: written },
    ...{ output_tokens_details: { reasoning_tokens: 0 }, total_tokens: tokens + written },
  }
  const events = [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
