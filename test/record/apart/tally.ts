/**
 * What files of agent CLIs hold, counted by a reader that shares nothing with ours: lines of JSON and sums. It knows the captured formats
 * only, and takes nothing for granted that the files do not say.
 */

export interface Tally {
  id: string
  /** The session above, of which this is a fork. */
  forkedFrom: string | null
  /** What persons said on the main thread, in order. */
  prompts: string[]
  /** Calls of all agents, and whether an answer stands in the files. */
  calls: Map<string, boolean>
  /** Calls that the provider makes itself, and that have no id. */
  searches: number
  /** Tokens of all agents: input, cached or not, and output. */
  input: number
  output: number
  /** Sub-agents with lines of their own. */
  agents: Set<string>
  /** The agent's newest list. */
  todos: string[] | null
}

// biome-ignore lint/suspicious/noExplicitAny: a reader that believes the files
type Json = any

export interface SessionFile {
  path: string
  text: string
}

/** Tallies by session, of several files. */
export class Tallies extends Map<string, Tally> {
  of(id: string): Tally {
    const found = this.get(id) ?? {
      ...{
        id,
        forkedFrom: null,
        prompts: [],
        calls: new Map(),
        searches: 0,
        input: 0,
        output: 0,
        agents: new Set(),
        todos: null,
      },
    }
    this.set(id, found)
    return found
  }
}

const linesOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))

const answer = ({ calls }: Tally, id: string): void => void calls.set(id, true)
const call = ({ calls }: Tally, id: string): void => void calls.set(id, calls.get(id) ?? false)
const textOf = (content: Json): string =>
  typeof content === 'string' ? content : (content ?? []).map(wordsOf).join('\n')
const wordsOf = ({ type, text }: Json): string => text ?? (/image/.test(type) ? '[image]' : '')

/** A to-do that is cancelled is none any more; one that is blocked is open. */
function addTodo(todos: string[], status: string, content: string): void {
  if (status !== 'cancelled') todos.push(`${status === 'blocked' ? 'pending' : status} ${content}`)
}

export function tallyCodex(files: readonly SessionFile[]): Tallies {
  const all = new Tallies()
  for (const { path, text } of files) {
    if (path.endsWith('.json')) {
      const { session, items } = JSON.parse(text)
      codexItems(all.of(session.id), items, true)
      continue
    }
    const lines = linesOf(text)
    const [first] = lines
    if (first.payload === undefined) {
      codexItems(all.of(first.id), lines.slice(1), true)
      continue
    }
    const { id, session_id = id, forked_from_id = null } = first.payload
    const tally = all.of(session_id)
    const isMain = id === session_id
    if (isMain) tally.forkedFrom = forked_from_id
    else tally.agents.add(id)
    codexItems(
      tally,
      lines.filter(({ type }) => type === 'response_item').map(({ payload }) => payload),
      false,
    )
    let before = ''
    for (const { type, payload } of lines) {
      if (type !== 'event_msg') continue
      const said = payload.type === 'user_message' ? shownWith(payload) : userItem(payload)
      if (isMain && said !== null) tally.prompts.push(said)
      if (payload.type !== 'token_count' || payload.info?.last_token_usage === undefined) continue
      // It comes again without anything new.
      const total = JSON.stringify(payload.info.total_token_usage)
      if (total === before) continue
      before = total
      tally.input += payload.info.last_token_usage.input_tokens
      tally.output += payload.info.last_token_usage.output_tokens
    }
  }
  return all
}

const shownWith = ({ message, images }: Json): string => [message, ...(images ?? []).map(() => '[image]')].join('\n')

const userItem = ({ type, item }: Json): string | null =>
  type === 'item_completed' && item.type === 'UserMessage' ? textOf(item.content) : null

/** What was completed stays in the record when the agent takes it off its list. */
function planned(plan: readonly Json[], before: readonly string[]): string[] {
  const todos = plan.map(({ step, status }) => `${status} ${step}`)
  return [...todos, ...before.filter((one) => one.startsWith('completed ') && !todos.includes(one))]
}

function codexItems(tally: Tally, items: readonly Json[], hasPrompts: boolean): void {
  for (const item of items) {
    const id = item.call_id ?? item.id
    if (/^(?:function|custom_tool|local_shell|tool_search)_call$/.test(item.type)) call(tally, id)
    if (item.type === 'web_search_call') tally.searches++
    if (/(?:_call|tool_search)_output$/.test(item.type)) answer(tally, id)
    // What was launched may have no file yet.
    const launched = /^\{"agent_id":"([0-9a-f-]{36})"/.exec(typeof item.output === 'string' ? item.output : '')?.[1]
    if (launched !== undefined) tally.agents.add(launched)
    if (item.type === 'function_call' && item.name === 'update_plan')
      tally.todos = planned(JSON.parse(item.arguments).plan, tally.todos ?? [])
    const text = item.type === 'message' && item.role === 'user' ? textOf(item.content) : ''
    // Instructions and surroundings that the CLI puts before the first words.
    if (hasPrompts && text !== '' && !/^\s*<(?:environment_context|user_instructions)>/.test(text))
      tally.prompts.push(text)
  }
}

export function tallyCopilot(files: readonly SessionFile[]): Tallies {
  const all = new Tallies()
  for (const { path, text } of files) {
    if (path.endsWith('.json')) {
      const { sessionId, chatMessages } = JSON.parse(text)
      const tally = all.of(sessionId)
      for (const { role, content, tool_calls, tool_call_id } of chatMessages) {
        if (role === 'user') tally.prompts.push(content)
        for (const { id } of tool_calls ?? []) call(tally, id)
        if (role === 'tool') answer(tally, tool_call_id)
      }
      continue
    }
    const lines = linesOf(text)
    const tally = all.of(lines.find(({ type }) => type === 'session.start').data.sessionId)
    const hasRecords = lines.some(({ type }) => type === 'session.usage_record')
    for (const { type, data, agentId } of lines) {
      if (agentId !== undefined) tally.agents.add(agentId)
      if (type === 'user.message' && agentId === undefined && data.source === undefined)
        tally.prompts.push(data.content)
      if (type === 'assistant.message') for (const { toolCallId } of data.toolRequests ?? []) call(tally, toolCallId)
      if (type === 'tool.execution_complete') answer(tally, data.toolCallId)
      const used: Json[] =
        type === 'session.usage_record'
          ? [data.usage]
          : type === 'session.shutdown' && !hasRecords
            ? Object.values(data.modelMetrics).map(({ usage }: Json) => usage)
            : // A summary asks the model as well, and stands in neither.
              type === 'session.compaction_complete' && hasRecords
              ? [data.compactionTokensUsed].filter((used) => used !== undefined)
              : []
      for (const { inputTokens, outputTokens } of used) {
        tally.input += inputTokens
        tally.output += outputTokens
      }
    }
  }
  return all
}

export function tallyPi(files: readonly SessionFile[]): Tallies {
  const all = new Tallies()
  /** A copy begins with the entries of its origin, which is older. */
  const entries = new Map<string, Set<string>>()
  for (const { text } of files) {
    const lines = linesOf(text)
    const [head, ...rest] = lines
    const tally = all.of(head.id)
    tally.forkedFrom = /_([0-9a-f-]{36})\.jsonl$/.exec(head.parentSession ?? head.branchedFrom ?? '')?.[1] ?? null
    entries.set(head.id, new Set(rest.map(entryOf)))
    const copied = entries.get(tally.forkedFrom ?? '') ?? new Set()
    for (const entry of rest) {
      const { type, message, usage } = entry
      if (copied.has(entryOf(entry))) continue
      if (type !== 'message') {
        // A summary asks the model as well.
        addPi(tally, usage)
        continue
      }
      const { role, content, toolCallId } = message
      if (role === 'user') tally.prompts.push(textOf(content))
      if (role === 'toolResult') answer(tally, toolCallId)
      if (role !== 'assistant') continue
      for (const part of content) if (part.type === 'toolCall') call(tally, part.id)
      addPi(tally, message.usage)
    }
  }
  return all
}

/** Entries of the first releases have no id: their bytes tell them apart. */
const entryOf = (entry: Json): string => entry.id ?? JSON.stringify(entry)

function addPi(tally: Tally, usage: Json): void {
  if (usage === undefined) return
  tally.input += usage.input + usage.cacheRead + usage.cacheWrite
  tally.output += usage.output
}

function todosOf(list: Json[]): string[] {
  const todos: string[] = []
  for (const one of list) addTodo(todos, one.status, one.description ?? one.content)
  return todos
}

const grown = ({ tokens, toolCalls }: Json): Json => ({ ...(tokens && { tokens }), ...(toolCalls && { toolCalls }) })

export function tallyGemini(files: readonly SessionFile[]): Tallies {
  const all = new Tallies()
  for (const { path, text } of files) {
    const isDocument = path.endsWith('.json')
    const [head, ...rest]: Json[] = isDocument ? [JSON.parse(text)] : linesOf(text)
    const parent = head.kind === 'subagent' ? path.split('/').at(-2) : undefined
    const tally = all.of(parent ?? head.sessionId)
    if (parent !== undefined) tally.agents.add(head.sessionId)
    const lists = isDocument ? [head.messages] : rest.map((line) => line.$set?.messages ?? (line.id ? [line] : []))
    // A message is written again as it grows, and shorter once a session goes on: what it ever said counts.
    const messages = new Map<string, Json>()
    // In a file that was taken over, all that the CLI wrote again when it began is its origin's.
    const isImport = lists.flat().some(({ id }: Json) => /^import-\d+$/.test(id))
    const again = isImport ? rest.flatMap((line) => line.$set?.messages ?? []) : []
    for (const message of lists.flat())
      if (!again.some(({ id }: Json) => id === message.id))
        messages.set(message.id, { ...message, ...messages.get(message.id), ...grown(message) })
    for (const { type, content, tokens, toolCalls } of messages.values()) {
      const said = textOf(content)
      if (type === 'user' && parent === undefined && said !== '' && !said.startsWith('<session_context>'))
        tally.prompts.push(said)
      if (type === 'user' || type === 'info') continue
      for (const each of toolCalls ?? []) {
        call(tally, each.id)
        if (each.result !== undefined || each.status !== undefined) answer(tally, each.id)
        if (/^(?:write_todos|todo_write)$/.test(each.name)) tally.todos = todosOf(each.args.todos)
      }
      if (tokens === undefined || tokens === null) continue
      tally.input += tokens.input + tokens.tool
      tally.output += tokens.output + tokens.thoughts
    }
  }
  return all
}

export function tallyQwen(files: readonly SessionFile[]): Tallies {
  const documents = files.filter(({ path }) => path.includes('/chats/') && path.endsWith('.json'))
  const all = tallyGemini(documents)
  const telling = new Set<string>()
  for (const { path, text } of files) {
    if (!path.endsWith('.jsonl')) continue
    const isAgent = path.includes('/subagents/')
    const lines = linesOf(text)
    const refused = new Set<string>(
      lines.flatMap(({ message }) =>
        (message?.parts ?? []).flatMap(({ functionResponse }: Json) =>
          functionResponse?.response?.error === undefined ? [] : functionResponse.id,
        ),
      ),
    )
    // All requests are reported beside the conversation, those of sub-agents and for the CLI's memory too.
    const told = lines.flatMap(({ systemPayload }) => systemPayload?.uiEvent ?? [])
    const requests = told.filter((one) => one['event.name'] === 'qwen-code.api_response')
    for (const { input_token_count, output_token_count } of requests) {
      const tally = all.of(lines[0].sessionId)
      telling.add(tally.id)
      tally.input += input_token_count
      tally.output += output_token_count
    }
    for (const { sessionId, type, message, provenance, usageMetadata, agentId } of lines) {
      const tally = all.of(isAgent ? (path.split('/').at(-2) ?? '') : sessionId)
      if (isAgent) tally.agents.add(agentId ?? path)
      const parts: Json[] = message?.parts ?? []
      if (type === 'user' && !isAgent && (provenance ?? 'real_user') === 'real_user') tally.prompts.push(textOf(parts))
      for (const { functionCall, functionResponse } of parts) {
        if (functionCall !== undefined) call(tally, functionCall.id)
        if (functionResponse !== undefined) answer(tally, functionResponse.id)
        if (functionCall?.name === 'todo_write' && !refused.has(functionCall.id))
          tally.todos = todosOf(functionCall.args.todos)
      }
      if (usageMetadata === undefined || telling.has(tally.id)) continue
      tally.input += usageMetadata.promptTokenCount
      tally.output += usageMetadata.candidatesTokenCount
    }
  }
  return all
}

export function tallyClaude(files: readonly SessionFile[]): Tallies {
  const all = new Tallies()
  for (const { path, text } of files) {
    const used = new Map<string, Json>()
    let tally: Tally | undefined
    for (const line of linesOf(text)) {
      const { type, message, sessionId, isSidechain, isMeta, isCompactSummary, attachment } = line
      // What a person said while the agent was at work.
      if (attachment?.type === 'queued_command' && !isSidechain && !/^\s*</.test(textOf(attachment.prompt)))
        all.of(sessionId).prompts.push(textOf(attachment.prompt))
      if (type !== 'user' && type !== 'assistant') continue
      tally = all.of(sessionId)
      if (isSidechain) tally.agents.add(line.agentId ?? path)
      const parts: Json[] = typeof message.content === 'string' ? [] : message.content
      for (const part of parts) {
        if (part.type === 'tool_use') call(tally, part.id)
        if (part.type === 'tool_result') answer(tally, part.tool_use_id)
        if (part.type === 'tool_use' && part.name === 'TodoWrite' && !isSidechain)
          tally.todos = part.input.todos.map((one: Json) => `${one.status} ${one.content}`)
      }
      const isAnswer = parts.some((part) => part.type === 'tool_result')
      // A notice of the CLI, or a command of its own that a person typed.
      const isNotice = /^\s*<(?:task-notification|command-name|local-command-stdout)>/.test(textOf(message.content))
      if (type === 'user' && !isSidechain && !isMeta && !isCompactSummary && !isAnswer && !isNotice)
        tally.prompts.push(textOf(message.content))
      // Each block of a reply is a line with the reply's usage: the last one is whole.
      if (type === 'assistant' && message.usage !== undefined) used.set(message.id ?? line.uuid, message.usage)
    }
    for (const usage of used.values()) {
      if (tally === undefined) continue
      const { input_tokens, cache_creation_input_tokens = 0, cache_read_input_tokens = 0, output_tokens } = usage
      tally.input += input_tokens + cache_creation_input_tokens + cache_read_input_tokens
      tally.output += output_tokens
    }
  }
  return all
}

/** Rows of opencode's database: `{table, row}`. */
export function tallyOpencode(rows: readonly { table: string; row: Json }[]): Tallies {
  const all = new Tallies()
  const sessions = new Map<string, Json>(
    rows.filter(({ table }) => table === 'session').map(({ row }) => [row.id, row]),
  )
  const rootOf = (id: string): string => {
    const parent = sessions.get(id)?.parent_id
    return parent ? rootOf(parent) : id
  }
  const messages = new Map<string, Json>()
  for (const { table, row } of rows) {
    if (table === 'session' && row.parent_id) all.of(rootOf(row.id)).agents.add(row.id)
    if (table === 'message') messages.set(row.id, JSON.parse(row.data))
  }
  for (const { table, row } of rows) {
    // What a fork copied is older than the fork, and counts for its origin.
    const isCopy =
      table !== 'session' &&
      messages.get(row.message_id ?? row.id)?.time?.created < sessions.get(row.session_id)?.time_created
    const launched = isCopy && table === 'part' ? JSON.parse(row.data).state?.metadata?.sessionId : undefined
    // A copied call names what it launched, whose parent is the origin.
    if (launched !== undefined) all.of(row.session_id).forkedFrom = sessions.get(launched)?.parent_id ?? null
    if (table === 'session' || isCopy) continue
    const tally = all.of(rootOf(row.session_id))
    if (table === 'todo') {
      tally.todos ??= []
      if (rootOf(row.session_id) === row.session_id) addTodo(tally.todos, row.status, row.content)
      continue
    }
    if (table !== 'part') continue
    const part = JSON.parse(row.data)
    const { role } = messages.get(row.message_id)
    if (part.type === 'text' && role === 'user' && !part.synthetic && rootOf(row.session_id) === row.session_id)
      tally.prompts.push(part.text)
    if (part.type === 'tool') {
      call(tally, part.callID)
      if (part.state.status === 'completed' || part.state.status === 'error') answer(tally, part.callID)
    }
    if (part.type !== 'step-finish') continue
    const { total, input, output, cache } = part.tokens
    const asked = input + cache.read + cache.write
    tally.input += asked
    // Whether thinking is a part of `output` differs by release.
    tally.output += total === undefined ? output : total - asked
  }
  return all
}
