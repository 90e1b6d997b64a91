import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { nothing, type RawFacts } from './raw-facts'

/** What rows and documents are taken for, and nobody checks it. */
interface Session {
  id: string
  parent: string | null
  createdAt: number
  messages: Message[]
  todos: { content: string; status: string }[]
}
interface Message {
  id: string
  createdAt: number
  role: string
  tokens?: { input: number; output: number; reasoning: number; cache: { read: number; write: number } }
  parts: Part[]
}
interface Part {
  type: string
  text: string
  synthetic?: boolean
  callID: string
  tool: string
  state: { status: string; metadata?: { sessionId?: string } }
}
interface Exported {
  info: { id: string; parentID?: string; time: { created: number } }
  messages: { info: Omit<Message, 'parts'> & { time: { created: number } }; parts: Part[] }[]
}

/** Reads databases of opencode, and sessions that it exported. @returns by session that a person began */
export function rawOpencode(paths: readonly string[]): Map<string, RawFacts> {
  const sessions = new Map<string, RawFacts>()
  for (const path of paths) {
    const all = path.endsWith('.json') ? [exported(path)] : inDatabase(path)
    for (const session of all) {
      const id = rootOf(session, all)
      const facts = sessions.get(id) ?? nothing()
      sessions.set(id, facts)
      readSession(session, facts)
      if (id === session.id) facts.todos = session.todos.map(({ content, status }) => [content, status])
    }
  }
  return sessions
}

function exported(path: string): Session {
  const { info, messages }: Exported = JSON.parse(readFileSync(path, 'utf8'))
  return {
    ...{ id: info.id, parent: info.parentID ?? null, createdAt: info.time.created, todos: [] },
    messages: messages.map(({ info: each, parts }) => ({ ...each, createdAt: each.time.created, parts })),
  }
}

function inDatabase(path: string): Session[] {
  using db = new Database(path, { readonly: true })
  const rows = <Row>(sql: string, id: string) => db.query<Row, [string]>(sql).all(id)
  return db
    .query<Omit<Session, 'messages' | 'todos'>, []>(
      'select id, parent_id as parent, time_created as createdAt from session',
    )
    .all()
    .map((session) => ({
      ...session,
      // An item that was cancelled is no longer to be done.
      todos: rows(
        "select content, status from todo where session_id = ? and status <> 'cancelled' order by position",
        session.id,
      ),
      messages: rows<{ id: string; createdAt: number; data: string }>(
        'select id, time_created as createdAt, data from message where session_id = ?',
        session.id,
      ).map(({ id, createdAt, data }) => ({
        ...JSON.parse(data),
        ...{ id, createdAt },
        parts: rows<{ data: string }>('select data from part where message_id = ? order by id', id).map((part) =>
          JSON.parse(part.data),
        ),
      })),
    }))
}

function rootOf(session: Session, all: readonly Session[]): string {
  const parent = all.find(({ id }) => id === session.parent)
  return parent === undefined ? session.id : rootOf(parent, all)
}

function readSession(session: Session, facts: RawFacts): void {
  for (const { id, createdAt, role, tokens, parts } of session.messages) {
    // A copy of another session, put before what this one did.
    if (createdAt < session.createdAt) continue
    if (tokens)
      facts.tokens.set(id, tokens.input + tokens.output + tokens.reasoning + tokens.cache.read + tokens.cache.write)
    const texts = parts.filter(({ type, synthetic }) => type === 'text' && !synthetic).map(({ text }) => text)
    if (role === 'user' && texts.length > 0) facts.prompts.add(texts.join('\n'))
    for (const { type, callID, tool, state } of parts) {
      if (type !== 'tool') continue
      facts.calls.set(callID, tool)
      if (state.status === 'completed' || state.status === 'error') facts.answered.add(callID)
      if (state.metadata?.sessionId) facts.links.set(state.metadata.sessionId, callID)
    }
  }
}
