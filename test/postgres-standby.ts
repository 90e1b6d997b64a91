import { SQL } from 'bun'
import { until } from './lab/until'
import { type PostgresServer, startPostgres } from './postgres'

/** A PostgreSQL server and a standby to which each commit goes before it is acknowledged. */
export interface ReplicatedPostgres {
  /** Names both, as a person would. */
  url: string
  primary: PostgresServer
  /** Has the standby take over. The primary is dead. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Starts both. Resolves when the standby follows. */
export async function startReplicated(): Promise<ReplicatedPostgres> {
  const primary = await startPostgres({ settings: { synchronous_standby_names: '*' } })
  await primary.kill()
  const standby = await startPostgres({ standbyOf: primary })
  await primary.start()
  await onServer(primary.url, (sql) =>
    until('the standby to follow', async () => {
      const rows = await sql`select 1 from pg_stat_replication where sync_state = 'sync'`
      return rows.length === 1
    }),
  )
  const [first, second] = [new URL(primary.url), new URL(standby.url)]
  return {
    url: primary.url.replace(first.host, `${first.host},${second.host}`),
    primary,
    promote: () => onServer(standby.url, async (sql) => void (await sql`select pg_promote(true, 60)`)),
    async stop() {
      await Promise.all([primary.stop(), standby.stop()])
    },
  }
}

async function onServer<T>(url: string, work: (sql: SQL) => Promise<T>): Promise<T> {
  const sql = new SQL(url, { max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.close()
  }
}
