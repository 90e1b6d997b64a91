import { Database } from 'bun:sqlite'
import { type SessionId, sessionId } from '../../../src/domain/ids'
import { Random } from '../../common/random'
import { prose } from './words'

/** Events of the main thread from one prompt to the next. */
const TURN_EVENTS = 50
/** How many of 100 events are the main thread's, where there are sub-agents and nothing else is asked for. */
const MAIN_SHARE = 10
const STEP_MS = 200
const STARTED_AT = 1_700_000_000_000

/** Fills two sessions of this many events: one with a main thread alone, one in which sub-agents wrote most. */
export function fillReading(
  path: string,
  { events, subagents, mainShare = MAIN_SHARE }: { events: number; subagents: number; mainShare?: number },
): { alone: SessionId; crowd: SessionId } {
  const db = new Database(path)
  try {
    db.run('pragma synchronous = off')
    db.run('pragma foreign_keys = off')
    db.run('begin')
    db.run(`insert into hosts (id, name, hostname, created_at, last_seen_at) values (1, 'bench', 'bench', 1, 1)`)
    const filler = new Filler(db, mainShare)
    const alone = filler.session(1, events, 0)
    const crowd = filler.session(2, events, subagents)
    db.run('commit')
    db.run('pragma wal_checkpoint(truncate)')
    return { alone, crowd }
  } finally {
    db.close()
  }
}

class Filler {
  private readonly db: Database
  private readonly mainShare: number
  private readonly random = new Random(11)
  private readonly texts: string[]

  constructor(db: Database, mainShare: number) {
    this.db = db
    this.mainShare = mainShare
    this.texts = Array.from({ length: 512 }, () => prose(this.random, 300))
  }

  session(key: number, events: number, subagents: number): SessionId {
    const id = sessionId(this.random.uuid())
    this.run(
      `insert into sessions (id, agent, native_id, host_id, started_at, last_event_at, event_count, subagent_count, created_at)
       values (?, 'claude-code', ?, 1, ?, ?, ?, ?, 1)`,
      [key, id, STARTED_AT, STARTED_AT + events * STEP_MS, events, subagents],
    )
    const launches = this.subagents(key, events, subagents)
    let main = 0
    for (let i = 0; i < events; i++) {
      const at = STARTED_AT + i * STEP_MS
      if (subagents > 0 && i % 100 >= this.mainShare) {
        const node = launches[i % launches.length]
        const call = `toolu_s${key}_${i - (i % 2)}`
        this.event(key, at, i % 2 === 0 ? 'tool_call' : 'tool_result', { node, call })
        if (i % 2 === 0) this.call(key, call, node?.key ?? null, at)
        continue
      }
      const place = main % TURN_EVENTS
      const kind = place === 0 ? 'prompt' : (['text', 'tool_call', 'tool_result'] as const)[place % 3]
      const launch = kind === 'tool_call' && main % 2 === 0 ? launches[main >> 1] : undefined
      const call = launch?.call ?? `toolu_m${key}_${main - (kind === 'tool_result' ? 1 : 0)}`
      this.event(key, at, kind ?? 'text', kind === 'tool_call' || kind === 'tool_result' ? { call } : {})
      if (kind === 'tool_call' && launch === undefined) this.call(key, call, null, at)
      main++
    }
    return id
  }

  private subagents(session: number, events: number, count: number) {
    const spread = (events * STEP_MS) / Math.max(1, count)
    return Array.from({ length: count }, (_, i) => {
      const [key, call, at] = [session * 1_000_000 + i, `toolu_l${session}_${i}`, STARTED_AT + i * spread]
      this.run(
        `insert into subagents (id, session_id, native_id, tool_use_id, link_rank, type, description, prompt, first_started_at,
           last_started_at, end_status, end_at, end_evidence, first_event_at, last_event_at, event_count)
         values (?, ?, ?, ?, 0, 'general-purpose', 'Search the code', ?, ?, ?, 'completed', ?, 'tool result', ?, ?, 18)`,
        [key, session, this.random.hex(17), call, this.text(), at, at, at + 60_000, at, at + 60_000],
      )
      this.run(
        `insert into usage_totals values (?, ?, 'claude-sonnet-4-5-20250929', 9, 100, 200, 3000, 400, 0, 0, 0)`,
        [session, key],
      )
      this.call(session, call, null, at)
      return { key, call }
    })
  }

  private event(
    session: number,
    at: number,
    type: string,
    { node, call = null }: { node?: { key: number; call: string } | undefined; call?: string | null },
  ): void {
    this.run(
      `insert into conversation_events (session_id, uuid, at, type, role, subagent_id, parent_tool_use_id, tool_use_id, tool_name,
         text, flags, incarnation_id, "offset", length) values (?, ?, ?, ?, 'user', ?, ?, ?, ?, ?, 0, 1, 0, 900)`,
      [
        session,
        Buffer.from(this.random.hex(32), 'hex'),
        at,
        type,
        node?.key ?? null,
        node?.call ?? null,
        call,
        call === null ? null : 'Bash',
        this.text(),
      ],
    )
  }

  private call(session: number, id: string, node: number | null, at: number): void {
    this.run(
      `insert or ignore into tool_uses (session_id, tool_use_id, name, subagent_id, called_at, ended_at, is_error)
       values (?, ?, 'Bash', ?, ?, ?, 0)`,
      [session, id, node, at, at + STEP_MS],
    )
  }

  private run(statement: string, values: (string | number | null | Uint8Array)[]): void {
    this.db.query(statement).run(...values)
  }

  private text(): string {
    return this.texts[Math.floor(this.random.next() * this.texts.length)] ?? ''
  }
}
