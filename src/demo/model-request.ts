/** What the model server must know of a request of the Messages API. All of it came over a socket: nothing is taken on trust. */
export interface ModelRequest {
  /** The agent CLI's session. */
  sessionId: string
  /** `null` = the main thread. */
  agentId: string | null
  model: string
  isStreamed: boolean
  /** What started this turn: the last words that a person, a notice or the agent's launcher said. */
  prompt: string
  /** What came after the model's last answer, a request to summarise among it. */
  latest: string
  /** Answers that the model gave in this turn already. */
  answered: number
  /** Rough number of tokens of the whole request. */
  tokens: number
  /** The conversation, as JSON: every word that the model is shown of it. */
  conversation: string
}

/** Reads a request; `null` when it is none. */
export function readModelRequest(headers: Headers, text: string): ModelRequest | null {
  const body = parse(text)
  if (body === null || !Array.isArray(body.messages)) return null
  const messages = body.messages.filter(isObject)
  const lastPrompt = messages.findLastIndex((message) => message.role === 'user' && promptOf(message) !== '')
  const lastAnswer = messages.findLastIndex((message) => message.role === 'assistant')
  const prompt = messages[lastPrompt]
  return {
    sessionId: headers.get('x-claude-code-session-id') ?? '',
    agentId: headers.get('x-claude-code-agent-id'),
    model: typeof body.model === 'string' ? body.model : 'unknown',
    isStreamed: body.stream === true,
    prompt: prompt === undefined ? '' : promptOf(prompt),
    latest: messages
      .slice(lastAnswer + 1)
      .map((message) => texts(message).join('\n'))
      .join('\n'),
    answered: messages.slice(lastPrompt + 1).filter((message) => message.role === 'assistant').length,
    tokens: Math.ceil(text.length / 4),
    conversation: JSON.stringify(messages),
  }
}

/** A message's own words: no tool results, no reminders that the CLI adds, but its notices of finished background work. */
function promptOf(message: Record<string, unknown>): string {
  return texts(message)
    .join('\n')
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, (reminder) => NOTICE.exec(reminder)?.[0] ?? '')
    .trim()
}

const NOTICE = /<task-notification>[\s\S]*<\/task-notification>/

function texts({ content }: Record<string, unknown>): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content
    .filter(isObject)
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .filter((text) => text !== '')
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
