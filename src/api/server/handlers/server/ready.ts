import { AppError } from '../../../../domain/errors'
import type { DiagnosticReads, Readiness } from '../../../../domain/record/journal-store'
import { ready as operation } from '../../../contract/operations/server'
import { handle } from '../../handler'

/** How long the database may take to say how it is. A balancer asks every second or so, and waits for no more than a few. */
const ANSWER_MS = 2_000
/** A feed that is this far behind shows nothing live. */
const MOST_LAG_MS = 10_000

export const ready = handle(operation, async (_call, { store, isDraining }) => {
  if (isDraining?.() === true) throw notReady('draining', 'The server is ending; others take its requests.')
  const began = performance.now()
  const { schemaVersion, neededVersion, feedLagMs } = await within(ANSWER_MS, readinessOf(store.diagnostics))
  const databaseMs = Math.round(performance.now() - began)
  const figures = { databaseMs, schemaVersion, feedLagMs }
  if (schemaVersion !== neededVersion)
    throw notReady(
      'schema',
      `The database has schema ${schemaVersion}, and this program needs ${neededVersion}.`,
      figures,
    )
  if (feedLagMs > MOST_LAG_MS)
    throw notReady('feed', `The feed is ${Math.round(feedLagMs / 1_000)} seconds behind.`, figures)
  return { status: 'ready', ...figures } as const
})

/** Anybody may ask, as often as they like: a database that is silent is asked once. */
const asking = new WeakMap<object, Promise<Readiness>>()

function readinessOf(diagnostics: Pick<DiagnosticReads, 'readiness'>): Promise<Readiness> {
  const known = asking.get(diagnostics)
  if (known !== undefined) return known
  const asked = diagnostics.readiness().finally(() => asking.delete(diagnostics))
  asking.set(diagnostics, asked)
  return asked
}

/** @throws `unavailable` it takes longer, or fails */
async function within(ms: number, asked: Promise<Readiness>): Promise<Readiness> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(notReady('database', `The database did not answer within ${ms / 1_000} seconds.`)),
      ms,
    )
  })
  try {
    return await Promise.race([asked, late])
  } catch (cause) {
    if (cause instanceof NotReady) throw cause
    throw notReady('database', 'The database can not be asked.', {}, cause)
  } finally {
    clearTimeout(timer)
  }
}

class NotReady extends AppError {}

type Reason = 'draining' | 'database' | 'schema' | 'feed'

/** The database's own words may name hosts: they go to the log, not to the caller. */
const notReady = (reason: Reason, message: string, figures: Record<string, number> = {}, cause?: unknown): NotReady =>
  new NotReady('unavailable', message, { details: { reason, ...figures }, ...(cause !== undefined && { cause }) })
