import { sql } from 'kysely'
import type { FleetHost } from '../../domain/overview/fleet'
import { isoTime, type ReadContext } from '../sql/read-context'
import { liveKeys } from '../tree-levels/live'

interface Growing extends Omit<FleetHost, 'lastSeenAt'> {
  lastSeenAt: number | null
}

/** Hosts whose files were recorded, and those that agents run on, the last heard of first. */
export async function readHosts(context: ReadContext, now: number): Promise<FleetHost[]> {
  const { db, capabilities } = context
  const hosts = new Map<string, Growing>()
  const hostOf = (name: string | null, hostname: string | null): Growing | undefined => {
    const key = name ?? hostname
    if (key === null) return undefined
    const known = hosts.get(key)
    if (known !== undefined) return known
    const made = {
      name: key,
      hostname: hostname ?? key,
      lastSeenAt: null,
      agents: 0,
      liveSessions: 0,
      liveAttempts: 0,
    }
    hosts.set(key, made)
    return made
  }
  for (const row of await db.selectFrom('hosts').select(['name', 'hostname', 'last_seen_at']).execute()) {
    const host = hostOf(row.name, row.hostname)
    if (host !== undefined) host.lastSeenAt = row.last_seen_at
  }
  const agents = await db.selectFrom('agents').select(['host_name', 'hostname', 'last_seen_at']).execute()
  for (const row of agents) {
    const host = hostOf(row.host_name, row.hostname)
    if (host === undefined) continue
    host.agents++
    if (row.last_seen_at !== null) host.lastSeenAt = Math.max(host.lastSeenAt ?? 0, row.last_seen_at)
  }
  const attempts = await sql<{ name: string | null; hostname: string | null; count: number }>`
    select coalesce(a.host_name, g.host_name) as name, g.hostname, count(*) as count
      from attempts a join agents g on g.id = a.agent_id where a.ended_at is null group by 1, 2
  `.execute(db)
  for (const row of attempts.rows) {
    const host = hostOf(row.name, row.hostname)
    if (host !== undefined) host.liveAttempts += row.count
  }
  const live = await liveKeys(context, now)
  const sessions = await sql<{ name: string; hostname: string; count: number }>`
    select h.name, h.hostname, count(*) as count from sessions s join hosts h on h.id = s.host_id
     where ${capabilities.inKeys(sql.ref<number>('s.id'), live)} group by h.name, h.hostname
  `.execute(db)
  for (const row of sessions.rows) {
    const host = hostOf(row.name, row.hostname)
    if (host !== undefined) host.liveSessions += row.count
  }
  return [...hosts.values()]
    .sort((a, b) => (b.lastSeenAt ?? 0) - (a.lastSeenAt ?? 0) || (a.name < b.name ? -1 : 1))
    .map((host) => ({ ...host, lastSeenAt: isoTime(host.lastSeenAt) }))
}
