import type { StatusSettings } from '../../domain/overview/shown-status'
import type { Store } from '../../domain/store'
import { DAY_MS } from '../../domain/time-units'
import { readOverview } from '../../engine/overview/overview'
import type { Logger } from '../../util/log'
import { statuslineAskedAt, writeStatusline } from '../../util/statusline-file'
import { startUpkeep } from '../../util/upkeep-loop'

export interface StatuslineOptions {
  store: Pick<Store, 'overview' | 'feed'>
  home: string
  settings(): Promise<StatusSettings>
  log: Logger
}

const REFRESH_MS = 1_000
/** If no status line was drawn for this long, the facts are left as they are. */
const UNASKED_MS = DAY_MS
/** Without a change they are read again this often: sessions get stuck by time alone. */
const UNCHANGED_MS = 15_000
/** More sessions at work than this have no part of their own in a status line. */
const MOST_SESSIONS = 100

/** Keeps the facts of status lines new while somebody looks at one. Gives what ends it. */
export function startStatusline({ store, home, settings, log }: StatuslineOptions): () => Promise<void> {
  let seen = -1
  let readAt = Number.NEGATIVE_INFINITY
  return startUpkeep({
    everyMs: REFRESH_MS,
    log,
    failure: 'the status line could not be kept; trying again',
    async check() {
      const now = Date.now()
      const askedAt = statuslineAskedAt(home)
      if (askedAt === null || now - askedAt > UNASKED_MS) return
      const head = await store.feed.head()
      if (head === seen && now - readAt < UNCHANGED_MS) return
      const { counts, running } = await readOverview(store, now, await settings(), { since: now, limit: MOST_SESSIONS })
      const atWork = running.flatMap(({ sessionId, taskId, todos }) =>
        sessionId === null
          ? []
          : [[sessionId, { taskId, done: todos?.completed ?? 0, total: todos?.total ?? 0 }] as const],
      )
      const needs = Object.values(counts.needs).reduce((sum, each) => sum + each, 0)
      writeStatusline(home, { pid: process.pid, needs, sessions: Object.fromEntries(atWork) })
      seen = head
      readAt = now
    },
  })
}
