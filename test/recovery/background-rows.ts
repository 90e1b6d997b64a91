/** Rows of background work, put into a database as the record would have them: for tests of what is made of them. */
import { SQL } from 'bun'
import type { StorePlace } from '../../src/store/open'

export interface RunRow {
  session: string
  agent: string
  kind?: 'agent' | 'shell' | 'monitor'
  type?: string | null
  prompt?: string | null
  isBackground?: boolean | null
  outputFile?: string | null
  number?: number
  startedAt?: number | null
  endedAt?: number | null
  status?: 'completed' | 'failed' | 'killed' | null
  result?: string | null
  readAt?: number | null
  toolUseId?: string | null
}

export interface SessionRow {
  id: string
  cwd?: string | null
  forkedFrom?: string | null
  activity?: string | null
  host?: string
}

export class BackgroundRows {
  private readonly sql: SQL

  constructor(place: StorePlace) {
    this.sql =
      place.path !== undefined ? new SQL({ adapter: 'sqlite', filename: place.path }) : new SQL(place.url, { max: 1 })
  }

  async session({ id, cwd = null, forkedFrom = null, activity = 'working', host = 'here' }: SessionRow): Promise<void> {
    const now = Date.now()
    await this
      .sql`insert into hosts (name, hostname, created_at, last_seen_at) values (${host}, ${`${host}-box`}, ${now}, ${now})
      on conflict (name) do nothing`
    await this.sql`insert into sessions (agent, native_id, host_id, cwd, forked_from, activity, created_at)
      select 'claude-code', ${id}, id, ${cwd}, ${forkedFrom}, ${activity}, ${now} from hosts where name = ${host}`
  }

  async run(row: RunRow): Promise<void> {
    const { session, agent, kind = 'agent', type = 'Explore', prompt = null, outputFile = null, number = 1 } = row
    const {
      startedAt = Date.now(),
      endedAt = null,
      status = null,
      result = null,
      readAt = null,
      toolUseId = null,
    } = row
    const background = row.isBackground === undefined ? 1 : row.isBackground === null ? null : Number(row.isBackground)
    await this
      .sql`insert into subagents (session_id, native_id, kind, type, description, prompt, is_background, output_file, tool_use_id)
      select id, ${agent}, ${kind}, ${type}, 'Some work', ${prompt}, ${background}, ${outputFile}, ${toolUseId} from sessions
      where native_id = ${session} on conflict (session_id, native_id) do nothing`
    await this.sql`insert into subagent_runs
      (subagent_id, number, session_id, trigger_kind, tool_use_id, started_at, ended_at, status, evidence, result, read_at)
      select a.id, ${number}, a.session_id, 'launch', ${toolUseId}, ${startedAt}, ${endedAt}, ${status}, 'test', ${result}, ${readAt}
      from subagents a join sessions s on s.id = a.session_id where s.native_id = ${session} and a.native_id = ${agent}`
  }

  async endRun(agent: string, status: string, endedAt: number, result: string): Promise<void> {
    await this.sql`update subagent_runs set status = ${status}, ended_at = ${endedAt}, result = ${result}
      where subagent_id = (select max(id) from subagents where native_id = ${agent})`
  }

  async endSession(id: string): Promise<void> {
    await this.sql`update sessions set activity = 'ended' where native_id = ${id}`
  }

  async told(): Promise<(string | null)[]> {
    const rows = await this.sql`select manifest_state from subagent_runs order by subagent_id, number`
    return rows.map((row: { manifest_state: string | null }) => row.manifest_state)
  }

  async setTold(agent: string, told: string): Promise<void> {
    await this.sql`update subagent_runs set manifest_state = ${told}
      where subagent_id = (select max(id) from subagents where native_id = ${agent})`
  }

  async close(): Promise<void> {
    await this.sql.close()
  }
}
