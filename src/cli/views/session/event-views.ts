import type { SearchHit } from '../../../domain/conversation/event-store'
import type { ConversationEvent } from '../../../domain/session/session'
import { localTime } from '../../print/measures'
import { style } from '../../print/print'
import { fields, table } from '../../print/table'
import { cut, oneLine } from '../../print/text'
import { shortIds } from '../ids'
import { nodeLabel } from './node-label'
import type { ViewSettings } from './session-views'
import { ago, areSeveral } from './session-views'

export function eventTable(
  events: readonly ConversationEvent[],
  isOneSession: boolean,
  { columns }: ViewSettings,
): string {
  const short = shortIds(events.map(({ id }) => id))
  return table(
    events,
    [
      { title: 'ID', cell: (e) => (columns > 0 ? short(e.id) : e.id) },
      ...(isOneSession ? [] : [{ title: 'SESSION', cell: (e: ConversationEvent) => e.sessionId.slice(0, 8) }]),
      { title: 'TIME', cell: (e) => localTime(e.at), spare: 3 },
      { title: 'AGENT', cell: (e) => e.subagentId?.slice(0, 8) ?? null, spare: 2 },
      { title: 'TYPE', cell: (e) => (e.inherited ? `${e.type} (inherited)` : e.type), max: 24 },
      { title: 'TOOL', cell: (e) => e.toolName, max: 16, spare: 1 },
      { title: 'TEXT', cell: (e) => e.text, max: 200, flexible: 24 },
    ],
    columns,
  )
}

export function eventFields(event: ConversationEvent): string {
  return fields([
    ['event', event.id],
    ['session', event.sessionId],
    ['type', event.type === event.role ? event.type : `${event.type} (${event.role})`],
    ['time', localTime(event.at)],
    ['sub-agent', event.subagentId],
    ['launched by', event.parentToolUseId],
    ['tool', event.toolName],
    ['tool use', event.toolUseId],
    ['inherited', event.inherited ? 'yes: copied from the session that this one was forked from' : null],
  ])
}

/** A hit is two lines: where it is (session, age, type, agent), then the text around it with the words that matched marked. */
export function searchView(
  hits: readonly SearchHit[],
  hasColor: boolean,
  { now, columns, namesClis: hasSeveral = areSeveral(hits.map(({ agent }) => agent)) }: ViewSettings,
): string {
  return hits
    .map(({ event, node, agent, sessionTitle, snippet }) => {
      const when = event.at === null ? '-' : ago(event.at, now)
      const title = sessionTitle === null ? '' : `  ${oneLine(sessionTitle)}`
      const cli = hasSeveral ? `  ${oneLine(agent)}` : ''
      const place = `${event.sessionId.slice(0, 8)}${cli}  ${when}  ${event.type}  ${nodeLabel(node)}${title}`
      return `${columns > 0 ? cut(place, columns) : place}\n    ${marked(snippet, hasColor)}\n`
    })
    .join('')
}

/** Matches come between U+0002 and U+0003; without colour they stand between asterisks. */
function marked(snippet: string, hasColor: boolean): string {
  return snippet
    .split('\u0002')
    .map((part, i) => {
      const [match = '', ...after] = i === 0 ? [''] : part.split('\u0003')
      const rest = i === 0 ? part : after.join('')
      const word = spaced(match)
      return (word === '' ? '' : hasColor ? style(word, 'bold', true) : `*${word}*`) + spaced(rest)
    })
    .join('')
}

/** As `oneLine`, but blanks at either end stay: the pieces are joined again. */
function spaced(text: string): string {
  const inner = oneLine(text)
  if (inner === '') return /\s/.test(text) ? ' ' : ''
  return `${/^\s/.test(text) ? ' ' : ''}${inner}${/\s$/.test(text) ? ' ' : ''}`
}
