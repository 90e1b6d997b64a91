/** What the screen lists: what needs a person, below it the tree of what runs, and the last conversations. */
import type { Answers } from '../../api/contract/operations'
import type { Session } from '../../domain/session/session'
import { NEED_LABELS } from '../views/need-views'
import { projectName } from '../views/session/session-views'

type Need = Answers['overview']['needs'][number]
type Entry = Answers['tree']['level']['entries'][number]

export interface Row {
  /** The same as long as it is about the same. */
  key: string
  /** How far below the top of the tree. */
  depth: number
  /** One word or two that stand before the text. */
  label: string
  /** The agent CLI; `null` = none, or there is no need to name it. */
  cli: string | null
  text: string
  /** When it began; `null` = not known. */
  since: string | null
  need: Need | null
  taskId: string | null
  sessionId: string | null
}

export const needRow = (need: Need): Row => ({
  key: `need:${need.id}`,
  depth: 0,
  label: NEED_LABELS[need.kind] ?? need.kind,
  cli: null,
  text: need.text === '' ? need.title : `${need.title}: ${need.text}`,
  since: need.since,
  need,
  taskId: need.taskId,
  sessionId: need.sessionId,
})

export const treeRow = (entry: Entry, depth: number): Row => ({
  key: `tree:${entry.id}`,
  depth,
  label: entry.kind,
  cli: entry.agentCli,
  text: [
    entry.label,
    ...(entry.detail === null ? [] : [entry.detail]),
    ...(entry.status === null ? [] : [`[${entry.status}]`]),
  ].join('  '),
  since: entry.startedAt,
  need: null,
  taskId: entry.taskId,
  sessionId: entry.sessionId,
})

export const recentRow = (session: Session): Row => ({
  key: `recent:${session.id}`,
  depth: 0,
  label: 'last',
  cli: session.agent,
  text: `${session.title ?? session.id} (${[projectName(session), session.status].filter(Boolean).join(', ')})`,
  since: session.lastEventAt,
  need: null,
  taskId: null,
  sessionId: session.id,
})
