import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { hostIdentity } from '../../../src/app/files/home'
import { databasePath, openDatabase } from '../../../src/app/threads/database'
import { Random } from '../../common/random'
import { prose } from './words'

export interface FillOptions {
  sessions: number
  /** Events in all, shared equally. */
  events: number
  /** Sub-agents of the first session, three levels deep; its events are theirs. Default 0. */
  treeSize?: number
  /** Where the sessions' transcripts are said to be. Default: a folder that does not exist. */
  claudeRoot?: string
}

/** What a filled record holds, for those who ask it. */
export interface Filled {
  sessionIds: string[]
  /** The session with `treeSize` sub-agents. */
  treeSession: string
  /** Tool calls that launched a sub-agent, with their session. */
  launches: { sessionId: string; toolUseId: string }[]
  /** A word that stands in one event of a thousand. */
  rareWord: string
  /** Words that stand in many events. */
  commonWords: string[]
}

/** Sub-agents of every fourth session. */
const SUBAGENTS = 3
const RARE_WORD = 'quokka'
/** Rows of one transaction. */
const ROWS = 50_000
/** Long enough ago that no session counts as live. */
const DAY_MS = 86_400_000

/**
 * Fills a new record with rows as the recorder would have left them (without the bytes of journals, usage by message and to-dos),
 * fast: raw inserts in big transactions that are not durable until the end.
 */
export async function fillRecord(home: string, options: FillOptions): Promise<Filled> {
  await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
  const db = new Database(databasePath(home))
  try {
    db.run('pragma synchronous = off')
    db.run('pragma cache_size = -200000')
    db.run('pragma foreign_keys = off')
    return new Filler(db, home, options).fill()
  } finally {
    db.run('pragma wal_checkpoint(truncate)')
    db.close()
  }
}

class Filler {
  private readonly options: FillOptions
  private readonly db: Database
  private readonly random = new Random(7)
  private readonly texts: string[]
  private readonly filled: Filled
  private readonly host: number
  private readonly claudeRoot: string
  private open = 0
  private at = Date.now() - 400 * DAY_MS
  private readonly step: number

  constructor(db: Database, home: string, options: FillOptions) {
    this.db = db
    this.options = options
    this.claudeRoot = options.claudeRoot ?? join(home, 'no-claude')
    this.texts = Array.from({ length: 4_096 }, () => prose(this.random, 40 + 200 * this.random.next()))
    this.filled = {
      sessionIds: [],
      treeSession: '',
      launches: [],
      rareWord: RARE_WORD,
      commonWords: ['the', 'file', 'test', 'error', 'session'],
    }
    const { name, hostname } = hostIdentity(home)
    const insert = 'insert into hosts (name, hostname, created_at, last_seen_at) values (?, ?, 1, 1)'
    this.host = Number(db.query(insert).run(name, hostname).lastInsertRowid)
    db.query(
      `insert into projects (host_id, root, name, created_at) values (?, '/home/user/project', 'project', 1)`,
    ).run(this.host)
    this.step = (398 * DAY_MS) / options.events
  }

  fill(): Filled {
    const { sessions, events, treeSize = 0 } = this.options
    this.db.run('begin')
    for (let index = 0; index < sessions; index++) {
      const first = Math.floor((events * index) / sessions)
      const count = Math.floor((events * (index + 1)) / sessions) - first
      const subagents = index === 0 && treeSize > 0 ? treeSize : index % 4 === 1 ? SUBAGENTS : 0
      this.session(index, count, subagents)
    }
    this.db.run('commit')
    this.filled.treeSession = this.filled.sessionIds[0] ?? ''
    return this.filled
  }

  private session(index: number, count: number, subagents: number): void {
    const id = this.random.uuid()
    this.filled.sessionIds.push(id)
    const startedAt = Math.floor(this.at)
    const endedAt = Math.floor(this.at + count * this.step)
    const key = this.insert(
      `insert into sessions (agent, native_id, host_id, project_id, cwd, title, title_rank, title_at, model, model_at, started_at,
         last_event_at, activity, activity_at, activity_evidence, file_grew_at, event_count, tool_call_count, subagent_count, created_at)
       values ('claude-code', ?, ?, 1, '/home/user/project', ?, 1, ?, 'claude-sonnet-4-5-20250929', ?, ?, ?, 'idle', ?, 'turn ended', ?, ?, ?, ?, ?)`,
      [
        id,
        this.host,
        this.text(),
        startedAt,
        endedAt,
        startedAt,
        endedAt,
        endedAt,
        endedAt,
        count,
        count >> 2,
        subagents,
        startedAt,
      ],
    )
    this.insert(
      `insert into usage_totals (session_id, subagent_id, model, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches)
       values (?, 0, 'claude-sonnet-4-5-20250929', ?, 1000, 2000, 300000, 40000, 0, 0)`,
      [key, count >> 1],
    )
    const path = join(this.claudeRoot, 'projects', `-home-user-project-${index % 50}`, `${id}.jsonl`)
    const journal = this.insert(
      `insert into journals (host_id, agent, kind, path, session_id, created_at) values (?, 'claude-code', 'transcript', ?, ?, ?)`,
      [this.host, path, key, startedAt],
    )
    const incarnation = this.insert(
      'insert into incarnations (journal_id, number, inode, size, parsed, opened_at, grew_at) values (?, 1, 1, 0, 0, ?, ?)',
      [journal, startedAt, endedAt],
    )
    const nodes = this.subagents(key, id, subagents, startedAt, endedAt)
    for (let at = 0; at < count; at++) this.event(key, incarnation, at, nodes)
  }

  private subagents(session: number, sessionId: string, count: number, startedAt: number, endedAt: number): Node[] {
    const nodes: Node[] = []
    for (let index = 0; index < count; index++) {
      const native = this.random.hex(17)
      const toolUseId = `toolu_${this.random.hex(24)}`
      // Ten at the top, ten below each, the rest on the third level.
      const parent = index < 10 ? null : (nodes[index < 110 ? index % 10 : 10 + (index % 100)] ?? null)
      const depth = parent === null ? 1 : parent.depth + 1
      const key = this.insert(
        `insert into subagents (session_id, native_id, tool_use_id, link_rank, parent_native_id, depth, type, description,
           first_started_at, last_started_at, end_status, end_at, end_evidence, first_event_at, last_event_at)
         values (?, ?, ?, 0, ?, ?, 'general-purpose', 'Search the code', ?, ?, 'completed', ?, 'tool result', ?, ?)`,
        [session, native, toolUseId, parent?.native ?? null, depth, startedAt, startedAt, endedAt, startedAt, endedAt],
      )
      this.insert(
        `insert into tool_uses (session_id, tool_use_id, name, subagent_id, called_at, ended_at, is_error) values (?, ?, 'Agent', ?, ?, ?, 0)`,
        [session, toolUseId, parent?.key ?? null, startedAt, endedAt],
      )
      nodes.push({ key, native, toolUseId, depth })
      if (this.filled.launches.length < 500) this.filled.launches.push({ sessionId, toolUseId })
    }
    return nodes
  }

  private event(session: number, incarnation: number, index: number, nodes: Node[]): void {
    const node = nodes.length > 0 && index % 2 === 1 ? nodes[(index >> 1) % nodes.length] : undefined
    const isTool = index % 4 > 1
    const toolUseId = isTool ? `toolu_${session}_${index >> 1}` : null
    const type = isTool ? (index % 4 === 2 ? 'tool_call' : 'tool_result') : index % 4 === 0 ? 'text' : 'thinking'
    const text = this.text()
    this.at += this.step
    const key = this.insert(EVENT, [
      session,
      crypto.getRandomValues(Buffer.allocUnsafe(16)),
      Math.floor(this.at),
      type,
      type === 'tool_result' ? 'user' : 'assistant',
      node?.key ?? null,
      node?.toolUseId ?? null,
      toolUseId,
      type === 'tool_call' ? 'Bash' : null,
      text,
      incarnation,
      index * 3_700,
    ])
    this.insert('insert into event_text (rowid, text) values (?, ?)', [key, text])
    if (type === 'tool_call') this.insert(TOOL_USE, [session, toolUseId, node?.key ?? null, this.at, this.at])
  }

  private text(): string {
    const text = this.random.pick(this.texts)
    return this.random.chance(0.001) ? `${text} ${RARE_WORD}` : text
  }

  private insert(sql: string, values: (string | number | null | Uint8Array)[]): number {
    if (++this.open % ROWS === 0) {
      this.db.run('commit')
      this.db.run('begin')
    }
    return Number(this.db.query(sql).run(...values).lastInsertRowid)
  }
}

interface Node {
  key: number
  native: string
  toolUseId: string
  depth: number
}

const EVENT = `insert into conversation_events
  (session_id, uuid, at, type, role, subagent_id, parent_tool_use_id, tool_use_id, tool_name, text, flags, incarnation_id, "offset", length)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 3700)`
const TOOL_USE = `insert into tool_uses (session_id, tool_use_id, name, subagent_id, called_at, ended_at, is_error)
  values (?, ?, 'Bash', ?, ?, ?, 0)`
