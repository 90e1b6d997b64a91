/** A PostgreSQL server that several teams share: with passwords, and an administrator who is no superuser, as the guide makes it. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { startPostgres } from '../postgres'
import { temporaryFolder } from '../store-contract/databases'

/** How each login works; that of `lodeline_walled` is refused, so that making its workspace fails half way. */
const LOGINS = ['host all postgres all trust', 'host all lodeline_walled all reject', 'host all all all scram-sha-256']
const GUIDE = readFileSync(join(import.meta.dir, '../../docs/guide/workspaces.md'), 'utf8')

export interface SharedServer extends AsyncDisposable {
  /** As the superuser. */
  root: SQL
  folder: string
  /** Runs a command as the administrator. @param options.answers  what a person types */
  lode(words: string[], options?: { env?: Record<string, string>; answers?: string[] }): Promise<Ran>
  /** Shuts the databases that every role may connect to, as the guide says. */
  shut(): Promise<void>
}

export interface Ran {
  code: number
  out: string
  err: string
}

export async function startShared(): Promise<SharedServer> {
  const server = await startPostgres({ fsync: false })
  const root = new SQL(server.url, { max: 1 })
  const [makeAdmin = '', shut = ''] = [...GUIDE.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, block]) => block)
  const [place] = await root`select current_setting('hba_file') as file`
  const lines = LOGINS.map((line) => `select '${line}'`).join(' union all ')
  await root.unsafe(`copy (${lines}) to '${place.file}'`)
  await root`select pg_reload_conf()`
  await root.unsafe(makeAdmin)
  await root`alter role lodeline_admin password 'of the admin'`
  const url = new URL(server.url)
  url.username = 'lodeline_admin'
  url.password = 'of the admin'
  const folder = temporaryFolder()
  return {
    root,
    folder,
    async lode(words, { env, answers } = {}) {
      const io = fakeIo({
        env: { HOME: folder, LODELINE_HOME: join(folder, 'lode'), LODELINE_ADMIN_DATABASE_URL: url.href, ...env },
        cwd: folder,
        ...(answers && { answers }),
      })
      const code = await dispatch(words, io, new AbortController().signal)
      return { code, out: io.stdout, err: io.stderr }
    },
    shut: async () => void (await root.unsafe(shut).simple()),
    async [Symbol.asyncDispose]() {
      await root.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
