import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { linesOf, nothing, type RawFacts } from './raw-facts'

/** What the lines are taken for, and nobody checks it. */
interface Line {
  type: string
  agentId?: string
  data: {
    sessionId: string
    content: string
    toolRequests: { toolCallId: string; name: string; arguments: { query: string } }[]
    toolCallId: string
    agentDisplayName?: string
  }
}
interface UsageLine {
  id: string
  /** The usage of an answer; that of answers that wrote a compaction's summary, which have no line of their own. */
  data: { usage?: Tokens; compactionTokensUsed?: Tokens }
}
interface Tokens {
  inputTokens: number
  outputTokens: number
}

/** The tables that the CLI gives the model. */
const TODO_TABLES = `
  create table todos (
    id text primary key, title text not null, description text,
    status text default 'pending' check (status in ('pending', 'in_progress', 'done', 'blocked')),
    created_at text, updated_at text
  );
  create table todo_deps (todo_id text not null, depends_on text not null, primary key (todo_id, depends_on));
`
const STATUS: Record<string, string> = { done: 'completed', blocked: 'pending' }

/** Reads `events.jsonl` of Copilot CLI: its to-dos by running what the model asked of its database. @returns by session */
export function rawCopilot(paths: readonly string[]): Map<string, RawFacts> {
  const sessions = new Map<string, RawFacts>()
  for (const path of paths) {
    const facts = nothing()
    if (path.endsWith('.json')) {
      readHistory(path, facts, sessions)
      continue
    }
    using todos = new Database(':memory:')
    todos.run(TODO_TABLES)
    for (const { type, data, agentId } of linesOf<Line>(path)) {
      if (type === 'session.start') sessions.set(data.sessionId, facts)
      if (type === 'user.message') facts.prompts.add(data.content)
      if (type === 'tool.execution_complete') facts.answered.add(data.toolCallId)
      if (type === 'subagent.started' && agentId) facts.links.set(agentId, data.toolCallId)
      if (type !== 'assistant.message') continue
      for (const call of data.toolRequests) {
        facts.calls.set(call.toolCallId, call.name)
        if (call.name === 'sql') runEach(todos, call.arguments.query)
      }
    }
    for (const { id, data } of linesOf<UsageLine>(path)) {
      const used = data.usage ?? data.compactionTokensUsed
      if (used) facts.tokens.set(id, used.inputTokens + used.outputTokens)
    }
    facts.todos = todos
      .query<{ title: string; status: string }, []>('select title, status from todos order by rowid')
      .all()
      .map(({ title, status }) => [title, STATUS[status] ?? status])
  }
  return sessions
}

/** What a session of 2025 says: the conversation as the model got it. */
interface History {
  sessionId: string
  chatMessages: {
    role: string
    content: string
    tool_call_id: string
    tool_calls?: { id: string; function: { name: string } }[]
  }[]
}

function readHistory(path: string, facts: RawFacts, sessions: Map<string, RawFacts>): void {
  const history: History = JSON.parse(readFileSync(path, 'utf8'))
  sessions.set(history.sessionId, facts)
  for (const { role, content, tool_call_id, tool_calls } of history.chatMessages) {
    if (role === 'user') facts.prompts.add(content)
    if (role === 'tool') facts.answered.add(tool_call_id)
    for (const call of tool_calls ?? []) facts.calls.set(call.id, call.function.name)
  }
}

/** Statements before one that fails have their effect. */
function runEach(database: Database, query: string): void {
  for (const statement of query.split(/;\s*/).filter((one) => one !== ''))
    try {
      database.query(statement).all()
    } catch {
      return
    }
}
