import { SCHEMA_VERSION } from '../migrations/known-migrations'
import type { PostgresExecutor } from './postgres-connection'
import { SILENT_SERVER_MS } from './postgres-migration'

/** What a server says of itself to those who change the schema. */
export interface ServerEntry {
  /** Random, new with each start. */
  instance: string
  hostName: string
  version: string
}

const BEAT_MS = SILENT_SERVER_MS / 4
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
const BEAT = `insert into servers (instance, host_name, version, schema_version, started_at, seen_at)
  values ($1, $2, $3, $4, ${NOW}, ${NOW}) on conflict (instance) do update set seen_at = excluded.seen_at`
/** Servers that did not report their end. */
const FORGET = `delete from servers where seen_at < ${NOW} - 86400000`

/**
 * Keeps a server among those at work on the database, until it is stopped. Whether the database can be reached is reported elsewhere: a
 * beat that fails is left out.
 */
export async function enterServer(
  executor: PostgresExecutor,
  { instance, hostName, version }: ServerEntry,
): Promise<() => Promise<void>> {
  const beat = async (): Promise<void> => {
    await executor.execute(BEAT, [instance, hostName, version, SCHEMA_VERSION])
  }
  await executor.execute(FORGET, [])
  await beat()
  let beating: Promise<void> | undefined
  const timer = setInterval(() => {
    beating ??= beat()
      .catch(() => {})
      .finally(() => {
        beating = undefined
      })
  }, BEAT_MS)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await beating
    await executor.execute('delete from servers where instance = $1', [instance]).catch(() => {})
  }
}
