import type { Observation } from '../../domain/record/observation'
import { idOf, recordOf, textOf, timeOf } from '../json-lines/json-value'
import { clip, titleOf } from '../json-lines/text'
import type { Place } from './place'
import { infoOf } from './rows/importable'

/** What a session is called before it has a title. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/

/** Adds what the row of a session says. If another session launched it, that one's calls say more. */
export function readSession(into: Observation[], place: Place): void {
  const { row, subagentId } = place
  if (subagentId !== null) return
  const directory = textOf(row.directory)
  const version = textOf(row.version)
  const text = textOf(row.title) ?? ''
  const translatedFrom = idOf(recordOf(recordOf(infoOf(row).metadata)?.translatedFrom)?.sessionId)
  const title = NO_TITLE.test(text) ? undefined : titleOf(text)
  into.push({
    kind: 'session',
    uuid: null,
    at: timeOf(row.time_updated) ?? timeOf(row.time_created),
    ...(directory !== undefined && directory !== '' && { cwd: clip(directory, 4_000) }),
    ...(version !== undefined && { agentVersion: clip(version, 100) }),
    ...(title !== undefined && { title: { text: title, source: 'agent' } }),
    ...(translatedFrom !== undefined && { translatedFrom }),
  })
}
