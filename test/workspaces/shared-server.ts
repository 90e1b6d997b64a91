/** A PostgreSQL server that several teams share: with passwords, and an administrator who is no superuser. */
import { SQL } from 'bun'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { temporaryFolder } from '../store-contract/databases'
import { type PostgresSource, startPostgres } from '../postgres'

/** Who logs in how; the login of `lodeline_walled` is refused, so that making its workspace fails half way. */
const LOGINS = ['host all postgres all trust', 'host all lodeline_walled all reject', 'host all all all scram-sha-256']

export interface SharedServer extends AsyncDisposable {
  /** Of the superuser. */
  root: SQL
  /** Of the administrator, with a database that every role may connect to. */
  adminUrl: string
  folder: string
  /** Runs a command as the administrator. @param answers  what a person types */
  lode(words: string[], options?: { env?: Record<string, string>; answers?: string[] }): Promise<Ran>
}

export interface Ran {
  code: number
  out: string
  err: string
}

export async function startShared(from?: PostgresSource[]): Promise<SharedServer> {
  const server = await startPostgres({ fsync: false, ...(process.env.PG18 ? { from: ["npm"] as const as never } : {}) })
  const root = new SQL(server.url, { max: 1 })
  const [folder] = await root`select current_setting('hba_file') as file`
  const lines = LOGINS.map((line) => `select '${line}'`).join(' union all ')
  await root.unsafe(`copy (${lines}) to '${folder.file}'`)
  await root`select pg_reload_conf()`
  await root`create role boss login createdb createrole password 'the boss'`
  const url = new URL(server.url)
  url.username = 'boss'
  url.password = 'the boss'
  const home = temporaryFolder()
  return {
    root,
    adminUrl: url.href,
    folder: home,
    async lode(words, { env, answers } = {}) {
      const io = fakeIo({
        env: { HOME: home, LODELINE_HOME: `${home}/lode`, LODELINE_ADMIN_DATABASE_URL: url.href, ...env },
        cwd: home,
        ...(answers && { answers }),
      })
      const code = await dispatch(words, io, new AbortController().signal)
      return { code, out: io.stdout, err: io.stderr }
    },
    async [Symbol.asyncDispose]() {
      await root.close()
      await server.stop()
      const { rmSync } = await import('node:fs')
      rmSync(home, { recursive: true, force: true })
    },
  }
}
