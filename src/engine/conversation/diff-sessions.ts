import type { ConversationReads, DiffRelation, SharedLines } from '../../domain/conversation/conversation'
import type { SessionId } from '../../domain/ids'
import type { StoredSession } from '../../domain/session/session-store'
import { type ReadPage, readPage } from './read-conversation'

export interface SessionDifference {
  relation: DiffRelation
  /** The session that both came from, where that is neither of them; `null` = none that is known. */
  origin: SessionId | null
  /** What both have, line for line, from the beginning on; `null` = nothing. */
  shared: SharedLines | null
  /** What the first has alone, then the second. */
  alone: [AloneSide, AloneSide]
}

export interface AloneSide {
  /** Lines of the main thread. */
  lineCount: number
  page: ReadPage
}

/**
 * What two sessions share, and what each went on with. Shared are lines with the same uuid, which a fork copies; what comes behind
 * the last of them is a session's own.
 *
 * @param limit  turns of each side
 */
export async function diffSessions(
  reads: ConversationReads,
  first: StoredSession,
  second: StoredSession,
  limit: number,
): Promise<SessionDifference> {
  const shared = (await reads.sharedLines(first.key, second.key)) ?? null
  const alone = async (session: StoredSession): Promise<AloneSide> => {
    const last = shared === null ? undefined : (await reads.findLine(session.key, shared.lastId))?.position
    const from = last === undefined ? undefined : { ...last, key: last.key + 1 }
    const options = { agent: null, isFlat: false, from, limit, depth: 0 }
    const [lineCount, page] = await Promise.all([reads.countLines(session.key, {}), readPage(reads, session, options)])
    return { lineCount: lineCount - (shared?.count ?? 0), page }
  }
  return { ...relationOf(first, second, shared), shared, alone: [await alone(first), await alone(second)] }
}

function relationOf(
  first: StoredSession,
  second: StoredSession,
  shared: SharedLines | null,
): { relation: DiffRelation; origin: SessionId | null } {
  if (parentsOf(second).includes(first.id)) return { relation: 'from_first', origin: null }
  if (parentsOf(first).includes(second.id)) return { relation: 'to_first', origin: null }
  const origin = parentsOf(first).find((id) => parentsOf(second).includes(id)) ?? null
  return { relation: shared !== null || origin !== null ? 'same_origin' : 'unrelated', origin }
}

const parentsOf = ({ forkedFrom, resumedFrom, translatedFrom }: StoredSession): SessionId[] =>
  [forkedFrom, resumedFrom, translatedFrom].filter((id) => id !== null)
