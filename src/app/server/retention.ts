import type { Config } from '../../config/load'
import type { SessionId } from '../../domain/ids'
import type { Store } from '../../domain/store'
import type { Logger } from '../../util/log'
import type { RecordEngine } from '../threads/record-engine'

const DAY_MS = 86_400_000
/** How often old sessions are looked for. */
const RETENTION_LOOK_MS = 3_600_000

/** Forgets sessions whose last event is older than `retention.days`; off by default. Returns what stops it. */
export function startRetention(config: Config, store: Store, engine: RecordEngine, log: Logger): () => void {
  let isRunning = false
  const sweep = async (): Promise<void> => {
    const { days } = config.retention
    if (isRunning || days === null) return
    isRunning = true
    try {
      for (const id of await quietSince(store, Date.now() - days * DAY_MS)) {
        await engine.forget(id)
        log.info('forgot a session by retention.days', { session: id, days })
      }
    } catch (error) {
      log.warn('retention failed; trying again in an hour', { error })
    } finally {
      isRunning = false
    }
  }
  const first = setTimeout(sweep, 10_000)
  const timer = setInterval(sweep, RETENTION_LOOK_MS)
  return () => {
    clearTimeout(first)
    clearInterval(timer)
  }
}

/** Sessions whose last event is older; those without any event are kept. */
async function quietSince(store: Store, before: number): Promise<SessionId[]> {
  const quiet: SessionId[] = []
  let cursor: string | null | undefined
  do {
    const page = await store.sessions.list({}, { limit: 1_000, ...(cursor ? { cursor } : {}) })
    for (const { id, lastEventAt } of page.rows)
      if (lastEventAt !== null && Date.parse(lastEventAt) < before) quiet.push(id)
    cursor = page.nextCursor
  } while (cursor !== null)
  return quiet
}
