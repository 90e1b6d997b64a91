import type { Config } from '../../config/load'
import type { Store } from '../../domain/store'
import { DAY_MS, HOUR_MS } from '../../domain/time-units'
import type { TaskService } from '../../engine/tasks/task-service'
import type { Logger } from '../../util/log'
import type { RecordEngine } from '../threads/record-engine'

/** How often old sessions are looked for. */
const RETENTION_LOOK_MS = HOUR_MS
/** A server that starts has other things to do first. */
const FIRST_LOOK_MS = 10_000

/** Counts costs by new prices, and removes what is older than the settings `retention.*` say. Returns what stops it. */
export function startRetention(
  config: Config,
  store: Store,
  engine: RecordEngine,
  tasks: Pick<TaskService, 'dropOld'>,
  log: Logger,
): () => void {
  let isRunning = false
  const sweep = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      await engine.recountCosts()
      await sweepByAge(config, store, engine, log)
      const dropped = await tasks.dropOld(config.retention)
      if (dropped.entries + dropped.tasks > 0) log.info('removed old rows by retention.*', { ...dropped })
    } catch (error) {
      log.warn('looking after old rows failed; trying again in an hour', { error })
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
  }: { retention: Pick<Config['retention'], 'days'> } & { todos: Pick<Config['todos'], 'linkFrom'> },
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
