import type { Config } from '../../config/load'
import type { Store } from '../../domain/store'
import type { Logger } from '../../util/log'
import type { RecordEngine } from '../threads/record-engine'

const DAY_MS = 86_400_000
/** How often old sessions are looked for. */
const RETENTION_LOOK_MS = 3_600_000
/** A server that starts has other things to do first. */
const FIRST_LOOK_MS = 10_000

/** Forgets sessions whose last event is older than `retention.days`; off by default. Returns what stops it. */
export function startRetention(config: Config, store: Store, engine: RecordEngine, log: Logger): () => void {
  let isRunning = false
  const sweep = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      await sweepByAge(config, store, engine, log)
    } catch (error) {
      log.warn('retention failed; trying again in an hour', { error })
    } finally {
      isRunning = false
    }
  }
  const first = setTimeout(sweep, FIRST_LOOK_MS)
  const timer = setInterval(sweep, RETENTION_LOOK_MS)
  return () => {
    clearTimeout(first)
    clearInterval(timer)
  }
}

/** What is due by the setting as it is now; nothing where nobody chose an age. */
export async function sweepByAge(
  {
    retention: { days },
    todos: { linkFrom },
  }: Pick<Config, 'retention'> & { todos: Pick<Config['todos'], 'linkFrom'> },
  store: Pick<Store, 'retention' | 'sessions'>,
  engine: Pick<RecordEngine, 'forget'>,
  log: Pick<Logger, 'info'>,
): Promise<void> {
  if (days === null) return
  await sweepOld({ before: Date.now() - days * DAY_MS, linkFrom }, store, engine, (id) =>
    log.info('forgot a session by retention.days', { session: id, days }),
  )
}

/** Forgets what is old and held by nothing. Each session has its line in the audit log, by the program itself. */
export async function sweepOld(
  { before, linkFrom }: { before: number; linkFrom: Config['todos']['linkFrom'] },
  store: Pick<Store, 'retention' | 'sessions'>,
  engine: Pick<RecordEngine, 'forget'>,
  onForgotten: (id: string) => void,
): Promise<void> {
  for (const { id, heldBy } of await store.retention.oldSessions(before, linkFrom)) {
    if (heldBy !== null) continue
    // Somebody may have gone on in it while others were forgotten.
    const { lastEventAt = null } = (await store.sessions.find(id)) ?? {}
    if (lastEventAt === null || Date.parse(lastEventAt) >= before) continue
    await engine.forget(id)
    onForgotten(id)
  }
}
