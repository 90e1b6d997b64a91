import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { median, round } from '../common/measure'
import { type Lives, livesPerSecond } from '../tasks/one-life'
import { OverHttp } from '../tasks/over-http'
import { World } from './world'

const ROUNDS = 3
const SECONDS = 3
const CLIENTS = [1, 4, 16]
const SERVERS = [1, 3]

/** The lives of `tasks.lives`, on PostgreSQL, with clients spread over the servers. */
export const livesFigure: Figure = {
  name: 'lives',
  target:
    'no target: full lives of tasks a second on PostgreSQL, of 1, 4 and 16 clients at one server and at three, and what each takes',
  async measure({ lode, folder, note }) {
    const values: Record<string, Record<string, number>> = {}
    for (const servers of SERVERS) {
      const world = await World.start(lode, join(folder, `s${servers}`), servers)
      try {
        const lives = spread(world)
        await livesPerSecond(lives, 16, SECONDS)
        const measured: Record<string, number[]> = {}
        for (let at = 1; at <= ROUNDS; at++)
          for (const clients of CLIENTS) {
            const before = await world.spent()
            const rate = await livesPerSecond(lives, clients, SECONDS)
            const after = await world.spent()
            const name = `clients${clients}PerSecond`
            measured[name] = [...(measured[name] ?? []), rate]
            const count = rate * SECONDS
            for (const what of ['serversMs', 'databaseMs', 'commits'] as const) {
              const each = `clients${clients}${what.charAt(0).toUpperCase()}${what.slice(1)}PerLife`
              measured[each] = [...(measured[each] ?? []), (after[what] - before[what]) / count]
            }
            note(`${servers} servers, round ${at}, ${clients} clients: ${round(rate)}/s`)
          }
        values[`servers${servers}`] = Object.fromEntries(
          Object.entries(measured).map(([name, rates]) => [name, round(median(rates))]),
        )
      } finally {
        await world.stop()
      }
    }
    return { ok: null, values, limit: {} }
  },
}

/** Each client at the next server. */
function spread({ servers }: World): Lives {
  const each = servers.map((server, at) => new OverHttp(server, `server-${at}-`))
  let next = 0
  return { client: () => (each[next++ % each.length] as OverHttp).client() }
}
