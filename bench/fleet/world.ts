import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../../test/postgres'
import { WorkServer } from '../tasks/work-server'
import { DistantDatabase } from './distant-database'

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

  get first(): WorkServer {
    const [first] = this.servers
    if (first === undefined) throw new Error('a world without servers')
    return first
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
    await this.database.close()
    await this.postgres.stop()
  }
}
