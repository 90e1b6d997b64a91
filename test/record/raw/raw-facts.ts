/** What the files of agent CLIs say, read in the plainest way and with no code of the program: facts to hold against the record. */
import { readFileSync } from 'node:fs'

/** Facts of one session, sub-agents included. Keys are IDs, so that what stands twice is there once. */
export interface RawFacts {
  prompts: Set<string>
  /** The tool by its call. */
  calls: Map<string, string>
  /** Calls that were answered. */
  answered: Set<string>
  /** All tokens by the reply or request that they belong to: input with cache, and output. */
  tokens: Map<string, number>
  /** The call that launched a sub-agent. */
  links: Map<string, string>
  /** The last list of to-dos: words and status. */
  todos: [string, string][]
}

/** What the lines are taken for, and nobody checks it. */
interface Part {
  text?: string
  functionCall?: { id: string; name: string }
  functionResponse?: { id: string }
}
interface GeminiLine {
  sessionId: string
  startTime: string
  kind: string
  $set?: { messages?: GeminiLine[] }
  id: string
  type?: string
  timestamp: string
  content: Part | Part[]
  tokens?: { total: number }
  toolCalls?: {
    id: string
    name: string
    result?: unknown
    agentId?: string
    args: { todos: { description: string; status: string }[] }
  }[]
}
interface QwenLine {
  sessionId: string
  type: string
  subtype?: string
  message?: { parts: Part[] }
  systemPayload?: { uiEvent?: { 'event.name': string; response_id: string; total_token_count: number } }
  toolCallResult?: { resultDisplay?: { todos?: { content: string; status: string }[] } }
}
interface Counts {
  input_tokens: number
  output_tokens: number
}
interface CodexLine {
  type: string
  payload: {
    id: string
    session_id: string
    source?: { subagent?: { thread_spawn?: object } }
    type: string
    role?: string
    name: string
    call_id: string
    arguments: string
    content?: { text?: string }[]
    info?: { total_token_usage: Counts; last_token_usage: Counts }
  }
}

export const nothing = (): RawFacts => ({
  ...{ prompts: new Set<string>(), calls: new Map(), answered: new Set<string>(), tokens: new Map(), links: new Map() },
  todos: [],
})

export const linesOf = <Line>(path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line))

/** Reads files of Gemini CLI. @returns by session */
export function rawGemini(paths: readonly string[]): Map<string, RawFacts> {
  const sessions = new Map<string, RawFacts>()
  for (const path of paths) {
    const lines = linesOf<GeminiLine>(path)
    const [header] = lines
    if (header === undefined) continue
    const isChild = header.kind === 'subagent'
    const id = isChild ? (path.split('/').at(-2) ?? '') : header.sessionId
    const facts = sessions.get(id) ?? nothing()
    sessions.set(id, facts)
    for (const line of lines)
      for (const message of line.$set?.messages ?? [line]) {
        // A copy of another session, put before what this one did.
        if (!message.type || Date.parse(message.timestamp) < Date.parse(header.startTime)) continue
        const parts = typeof message.content === 'string' ? [{ text: message.content }] : [message.content].flat()
        const texts = parts.flatMap(({ text }) => text ?? [])
        if (message.type === 'user' && texts.length > 0 && !texts[0]?.startsWith('<'))
          facts.prompts.add(texts.join('\n'))
        if (message.tokens) facts.tokens.set(message.id, message.tokens.total)
        for (const part of parts) {
          if (part.functionCall) facts.calls.set(part.functionCall.id, part.functionCall.name)
          if (part.functionResponse) facts.answered.add(part.functionResponse.id)
        }
        for (const call of message.toolCalls ?? []) {
          const isNew = !facts.calls.has(call.id)
          facts.calls.set(call.id, call.name)
          if (call.result) facts.answered.add(call.id)
          if (call.agentId) facts.links.set(call.agentId, call.id)
          if (call.name === 'write_todos' && isNew && !isChild)
            facts.todos = call.args.todos.map(({ description, status }) => [
              description,
              status === 'blocked' ? 'pending' : status,
            ])
        }
      }
  }
  return sessions
}

/** Reads files of Qwen Code. @returns by session */
export function rawQwen(paths: readonly string[]): Map<string, RawFacts> {
  const sessions = new Map<string, RawFacts>()
  for (const path of paths) {
    if (path.endsWith('.meta.json')) continue
    if (path.endsWith('.json')) {
      readQwenDocument(JSON.parse(readFileSync(path, 'utf8')), sessions)
      continue
    }
    for (const line of linesOf<QwenLine>(path)) {
      const facts = sessions.get(line.sessionId) ?? nothing()
      sessions.set(line.sessionId, facts)
      const parts = line.message?.parts ?? []
      const texts = parts.flatMap(({ text }) => text ?? [])
      if (line.type === 'user' && line.subtype === undefined && texts.length > 0) facts.prompts.add(texts.join('\n'))
      for (const { functionCall, functionResponse } of parts) {
        if (functionCall) facts.calls.set(functionCall.id, functionCall.name)
        if (functionResponse) facts.answered.add(functionResponse.id)
      }
      const event = line.systemPayload?.uiEvent
      if (event?.['event.name'] === 'qwen-code.api_response')
        facts.tokens.set(event.response_id, event.total_token_count)
      const todos = line.toolCallResult?.resultDisplay?.todos
      if (todos) facts.todos = todos.map((todo) => [todo.content, todo.status])
    }
  }
  for (const path of paths.filter((one) => one.endsWith('.meta.json'))) {
    const meta: { parentSessionId: string; agentId: string; toolUseId: string } = JSON.parse(readFileSync(path, 'utf8'))
    sessions.get(meta.parentSessionId)?.links.set(meta.agentId, meta.toolUseId)
  }
  return sessions
}

/** What releases of 2025 wrote, as a whole. */
interface QwenDocument {
  sessionId: string
  messages: {
    id: string
    type: 'user' | 'qwen'
    content: string
    tokens?: { total: number }
    toolCalls?: {
      id: string
      name: string
      args: { todos?: { content: string; status: string }[] }
      result?: unknown
    }[]
  }[]
}

function readQwenDocument({ sessionId, messages }: QwenDocument, sessions: Map<string, RawFacts>): void {
  const facts = nothing()
  sessions.set(sessionId, facts)
  for (const { id, type, content, tokens, toolCalls } of messages) {
    if (type === 'user') facts.prompts.add(content)
    if (tokens) facts.tokens.set(id, tokens.total)
    for (const call of toolCalls ?? []) {
      facts.calls.set(call.id, call.name)
      if (call.result) facts.answered.add(call.id)
      if (call.args.todos) facts.todos = call.args.todos.map((todo) => [todo.content, todo.status])
    }
  }
}

type CodexItem = Partial<CodexLine['payload']> & { session?: object; items?: CodexItem[]; payload?: CodexItem }

/** The lines of a rollout in the form of the newest: of the first releases, a document with bare items, then bare lines. */
function codexLines(path: string): CodexLine[] {
  const text = readFileSync(path, 'utf8')
  const document: CodexItem = path.endsWith('.json') ? JSON.parse(text) : {}
  const lines = path.endsWith('.json') ? [document.session, ...(document.items ?? [])] : linesOf<CodexItem>(path)
  return lines.map((line, n) => {
    const item = line as CodexItem
    if (item.payload) return item as unknown as CodexLine
    return { type: n === 0 ? 'session_meta' : 'response_item', payload: item as CodexLine['payload'] }
  })
}

/** Reads rollouts of Codex without forks that hold copies. @returns by session */
export function rawCodex(paths: readonly string[]): Map<string, RawFacts> {
  const sessions = new Map<string, RawFacts>()
  for (const path of paths) {
    const lines = codexLines(path)
    const meta = lines[0]?.payload
    if (meta === undefined) continue
    const spawned = meta.source?.subagent?.thread_spawn
    const id = spawned ? meta.session_id : meta.id
    const facts = sessions.get(id) ?? nothing()
    sessions.set(id, facts)
    for (const { type, payload } of lines) {
      if (type === 'event_msg' && payload.type === 'token_count' && payload.info) {
        const { total_token_usage: sum, last_token_usage: last } = payload.info
        facts.tokens.set(`${meta.id} ${sum.input_tokens} ${sum.output_tokens}`, last.input_tokens + last.output_tokens)
      }
      if (type !== 'response_item') continue
      if (payload.type === 'function_call' || payload.type === 'custom_tool_call') {
        facts.calls.set(payload.call_id, payload.name)
        if (payload.name === 'update_plan' && !spawned)
          facts.todos = planOf(payload.arguments).map(({ step, status }) => [step, status])
      }
      if (payload.type === 'local_shell_call') facts.calls.set(payload.call_id, 'local_shell')
      if (payload.type?.endsWith('_output')) facts.answered.add(payload.call_id)
      if (spawned && payload.type === 'agent_message')
        facts.prompts.add((payload.content ?? []).map((part) => part.text ?? '[encrypted]').join('\n'))
      const text = payload.content?.[0]?.text
      if (payload.type === 'message' && payload.role === 'user' && text && !/^\s*[<#]/.test(text))
        facts.prompts.add(text)
    }
  }
  return sessions
}

const planOf = (text: string): { step: string; status: string }[] => JSON.parse(text).plan
