import type { ActivityObservation, SessionObservation } from '../../domain/record/observation'
import type { SessionRow } from '../../domain/record/record-store'
import type { BatchPlace } from './rows'

const TITLE_RANK = { prompt: 1, agent: 2, person: 3 } as const

/** Characters of a branch's and a model's name: lists of sessions are sorted and counted by an index with both. */
const NAME_LIMIT = 250

/** Adds one observation to the change of the session's row, by the same rules by which the store merges rows. */
export function noteSession(
  row: SessionRow,
  seen: SessionObservation | ActivityObservation,
  place: Pick<BatchPlace, 'source' | 'sessionId'>,
): void {
  const at = seen.at ?? 0
  if (seen.kind === 'activity') {
    if (!row.activity || at > row.activity.at || (at === row.activity.at && seen.evidence > row.activity.evidence))
      row.activity = { state: seen.state, at, evidence: seen.evidence, reason: seen.reason ?? null }
    return
  }
  if (seen.cwd !== undefined && at >= (row.place?.at ?? 0))
    row.place = {
      cwd: seen.cwd,
      gitBranch: seen.gitBranch?.slice(0, NAME_LIMIT).toWellFormed() ?? row.place?.gitBranch ?? null,
      agentVersion: seen.agentVersion ?? row.place?.agentVersion ?? null,
      at,
    }
  // Chains come from lines alone: a hook may name the parent's id where it means the fork's.
  if (place.source === 0) return
  if (seen.model !== undefined && at >= (row.model?.at ?? 0))
    row.model = { name: seen.model.slice(0, NAME_LIMIT).toWellFormed(), at }
  if (seen.title) noteTitle(row, seen.title, at)
  if (seen.forkedFrom && seen.forkedFrom !== place.sessionId)
    row.forkedFrom = { id: seen.forkedFrom, evidence: 'its lines name it' }
  if (seen.resumedFrom && seen.resumedFrom !== place.sessionId) row.resumedFrom = seen.resumedFrom
  if (seen.translatedFrom && seen.translatedFrom !== place.sessionId) row.translatedFrom = seen.translatedFrom
}

function noteTitle(row: SessionRow, title: NonNullable<SessionObservation['title']>, at: number): void {
  const rank = TITLE_RANK[title.source]
  const current = row.title
  const wins =
    !current || rank > current.rank || (rank === current.rank && (rank === 1 ? at < current.at : at >= current.at))
  if (wins) row.title = { text: title.text, rank, at }
}
