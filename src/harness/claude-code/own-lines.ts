import type { Observation } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { idOf, textOf } from '../json-lines/json-value'
import { titleOf } from '../json-lines/text'
import { blocksOf, firstText } from './content/content'
import { readNotification } from './notification'

/**
 * Lines outside of the conversation: they have no uuid, or are of a kind that only accompanies it.
 *
 * `progress` lines have one, and come and go with the tool call that they report: what a sub-agent did is in its own file, and a
 * fork copies them without saying so, so nothing is taken from them.
 */
export function readOwnLine(
  into: Observation[],
  type: string,
  record: JsonRecord,
  uuid: string | null,
  at: number | null,
  place: { sessionId: string | null; subagentId: string | null },
): void {
  if (type === 'queue-operation') {
    const text = record.operation === 'enqueue' ? firstText(blocksOf(record.content)) : ''
    into.push(...readNotification(text, { uuid, at, subagentId: null, evidence: 'transcript:notification' }))
  } else {
    readTitle(into, type, record, at, place)
  }
}

/**
 * A name of the session. `summary` lines of old versions may be about another conversation (they name a line of it and no
 * session), so they only count when they name this session.
 */
function readTitle(
  into: Observation[],
  type: string,
  record: JsonRecord,
  at: number | null,
  place: { sessionId: string | null; subagentId: string | null },
): void {
  if (place.subagentId !== null) return
  const field = TITLE_FIELDS.get(type)
  const words = field && textOf(record[field.name])
  const title = words ? titleOf(words) : undefined
  const named = idOf(record.sessionId)
  if (!field || title === undefined || (named ?? null) !== place.sessionId) return
  into.push({ kind: 'session', uuid: null, at, title: { text: title, source: field.source } })
}

const TITLE_FIELDS: ReadonlyMap<string, { name: string; source: 'person' | 'agent' }> = new Map([
  ['custom-title', { name: 'customTitle', source: 'person' }],
  ['ai-title', { name: 'aiTitle', source: 'agent' }],
  ['agent-name', { name: 'agentName', source: 'agent' }],
  ['summary', { name: 'summary', source: 'agent' }],
])
