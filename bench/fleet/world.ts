import { join } from 'node:path'
import { SQL } from 'bun'
import { type PostgresServer, startPostgres } from '../../test/postgres'
import { processState } from '../common/measure'
import { WorkServer } from '../tasks/work-server'
import { DistantDatabase } from './distant-database'

/** How long PostgreSQL's processes may keep their counts to themselves. */
const STATISTICS_MS = 1_500

/** @see World.spent */
export interface Spent {
  serversMs: number
  databaseMs: number
  commits: number
}

/** Servers over one durable PostgreSQL database, which counts what they ask of it. */
export class World {
  readonly database: DistantDatabase
  readonly servers: WorkServer[] = []
  private readonly postgres: PostgresServer

  private constructor(postgres: PostgresServer, database: DistantDatabase) {
    this.postgres = postgres
    this.database = database
  }

  /** @param isCounted  false: the servers speak to the database itself, without anything in between */
  static async start(lode: string, folder: string, servers: number, isCounted = false): Promise<World> {
    const postgres = await startPostgres()
    const world = new World(postgres, await DistantDatabase.before(postgres.url))
    try {
      for (let at = 0; at < servers; at++) {
        const url = isCounted ? world.database.url : postgres.url
        world.servers.push(await WorkServer.start(lode, join(folder, `h${at}`), { LODELINE_DATABASE_URL: url }))
      }
      return world
    } catch (error) {
      await world.stop()
      throw error
    }
  }

  /** The database itself. */
  get url(): string {
    return this.postgres.url
  }

  get first(): WorkServer {
    const [first] = this.servers
    if (first === undefined) throw new Error('a world without servers')
    return first
  }

  /** What was spent so far, in milliseconds of processor time; transactions that were committed. Statistics are a second late. */
  async spent(): Promise<Spent> {
    await Bun.sleep(STATISTICS_MS)
    const sql = new SQL(this.postgres.url, { max: 1 })
    try {
      const [row] = await sql`select sum(xact_commit)::float8 as commits from pg_stat_database`
      const seconds = (total: number, pid: number): number => total + processState(pid).cpuSeconds
      return {
        serversMs: this.servers.reduce((total, server) => total + server.state().cpuSeconds, 0) * 1_000,
        databaseMs: this.postgres.processes().reduce(seconds, 0) * 1_000,
        commits: row.commits,
      }
    } finally {
      await sql.close()
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
    await this.database.close()
    await this.postgres.stop()
  }
}
