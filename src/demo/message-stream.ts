/** A model's answer in the form of the Messages API: whole, or as the server-sent events of a streamed one. */

export interface TextBlock {
  type: 'text'
  text: string
}

export interface ToolUseBlock {
  type: 'tool_use'
  id: string
  name: string
  input: Record<string, unknown>
}

export interface ApiUsage {
  input_tokens: number
  output_tokens: number
  cache_read_input_tokens: number
  cache_creation_input_tokens: number
}

export interface ModelMessage {
  id: string
  model: string
  content: (TextBlock | ToolUseBlock)[]
  usage: ApiUsage
}

const stopReason = (message: ModelMessage): 'tool_use' | 'end_turn' =>
  message.content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn'

/** The body of an answer that was asked for without streaming. */
export function wholeMessage(message: ModelMessage): Record<string, unknown> {
  return { type: 'message', role: 'assistant', stop_sequence: null, stop_reason: stopReason(message), ...message }
}

/** The events of a streamed answer in order, each as it goes over the wire. */
export function* streamedMessage(message: ModelMessage): Generator<string> {
  const { content, usage } = message
  yield event('message_start', {
    message: {
      ...wholeMessage(message),
      content: [],
      stop_reason: null,
      usage: { ...usage, output_tokens: 1 },
    },
  })
  for (const [index, block] of content.entries()) {
    if (block.type === 'text') {
      yield event('content_block_start', { index, content_block: { type: 'text', text: '' } })
      // Some characters at a time, as a model speaks.
      for (const text of block.text.match(/.{1,24}/gs) ?? []) {
        yield event('content_block_delta', { index, delta: { type: 'text_delta', text } })
      }
    } else {
      yield event('content_block_start', { index, content_block: { ...block, input: {} } })
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      yield event('content_block_delta', { index, delta })
    }
    yield event('content_block_stop', { index })
  }
  yield event('message_delta', { delta: { stop_reason: stopReason(message), stop_sequence: null }, usage })
  yield event('message_stop', {})
}

const event = (type: string, data: Record<string, unknown>): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
