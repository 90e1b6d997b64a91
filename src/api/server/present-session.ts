import { lastActivityAt, mayBeStuck, type StatusSettings, shownSession } from '../../domain/overview/shown-status'
import type { Session, ShownSessionStatus } from '../../domain/session/session'
import { sessionStatus } from '../../domain/session/session-status'
import type { StoredSession } from '../../domain/session/session-store'
import type { Store } from '../../domain/store'
import type { Context } from './context'
import { needSettings } from './need-settings'

interface Shown {
  status: ShownSessionStatus
  statusEvidence: string
}

/** Derives what sessions show as; in the order of the rows. */
export type StatusReader = (sessions: readonly StoredSession[]) => Promise<Shown[]>

/**
 * The one status of rows, filters and pages, as Home and the tree show it. No line of a conversation tells that its run asked a person,
 * and what runs in a session is read only where it was silent for long.
 */
export async function statusesAt(
  now: number,
  settings: StatusSettings,
  store: Pick<Store, 'sessions' | 'overview'>,
): Promise<StatusReader> {
  const asking = await store.sessions.asking()
  return async (sessions) => {
    const own = sessions.map((session) => ({ ...session, ...sessionStatus(session.signals, now) }))
    const silent = own.filter(
      ({ id, signals, status }) => !asking.has(id) && mayBeStuck(status, lastActivityAt(signals, now), now, settings),
    )
    const works = silent.length === 0 ? null : await store.overview.sessionWork(silent)
    return own.map(({ id, key, status: bare, statusEvidence }) => {
      const question = asking.get(id)
      const status = shownSession(bare, question !== undefined, works?.get(key), settings)
      if (status === bare) return { status, statusEvidence }
      const why = status === 'waiting' ? `question ${question} is open` : 'nothing runs in it, and no end of its turn'
      return { status, statusEvidence: `${why}, ${statusEvidence}` }
    })
  }
}

/** As `statusesAt`, by the clock and the settings of the server. */
export const statusReader = async (context: Context): Promise<StatusReader> =>
  await statusesAt(context.now(), await needSettings(context), context.store)

/**
 * Stored sessions as the API gives them: their status derived now, keys and signals left inside.
 *
 * @param read  default: a new one
 */
export async function presentSessions(
  sessions: readonly StoredSession[],
  context: Context,
  read?: StatusReader,
): Promise<Session[]> {
  const shown = await (read ?? (await statusReader(context)))(sessions)
  return sessions.map((session, at) => {
    const { key: _key, hostName: _recordedOn, processHost: _runsOn, signals: _signals, ...stored } = session
    return { ...stored, ...(shown[at] as Shown) }
  })
}

export async function presentSession(session: StoredSession, context: Context): Promise<Session> {
  return (await presentSessions([session], context))[0] as Session
}
