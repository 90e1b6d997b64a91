import type { InboxMessage, InboxSource } from '../../domain/inbox'
import { age, localTime } from '../print/measures'
import { fields, table } from '../print/table'
import { block, oneLine } from '../print/text'
import type { ViewSettings } from './session/session-views'

export function inboxTable(messages: readonly InboxMessage[], { now, columns }: ViewSettings): string {
  return table(
    messages,
    [
      { title: 'ID', cell: (m) => m.id, max: 24 },
      { title: 'STATUS', cell: (m) => m.status },
      { title: 'AGE', cell: (m) => age(m.receivedAt, now), align: 'right', spare: 2 },
      { title: 'SOURCE', cell: (m) => m.source, max: 20, spare: 1 },
      { title: 'FROM', cell: (m) => m.sender, max: 24, spare: 3 },
      { title: 'TASK', cell: (m) => m.tasks[0]?.taskId ?? (m.followsUp === null ? null : `(${m.followsUp.taskId})`) },
      { title: 'TEXT', cell: (m) => m.text.slice(0, 400), flexible: 20 },
    ],
    columns,
  )
}

export function inboxView(m: InboxMessage): string {
  const head = fields([
    ['request', `${m.id}, ${m.status}`],
    ['from', `${m.sender} by ${m.source}`],
    ['received', localTime(m.receivedAt)],
    ['thread', m.threadKey],
    ['external ID', m.externalId],
    ...m.tasks.map((task) => ['task', `${task.taskId} ${task.status}  ${task.title}`] as const),
    ['follows up', m.followsUp === null ? null : `${m.followsUp.taskId} ${m.followsUp.status}  ${m.followsUp.title}`],
  ])
  const replies = m.replies.map(
    ({ createdAt, author, status, error, text }) =>
      `${oneLine(`reply ${localTime(createdAt)} by ${author}, ${status}${error === null ? '' : `: ${error}`}`)}\n${block(text).trimEnd()}\n`,
  )
  return [head, `${block(m.text).trimEnd()}\n`, ...replies].join('\n')
}

export const sourceTable = (sources: readonly InboxSource[], { columns }: ViewSettings): string =>
  table(
    sources,
    [
      { title: 'NAME', cell: (s) => s.name, max: 40 },
      { title: 'LEAD', cell: (s) => s.lead, max: 40 },
      { title: 'TASKS', cell: (s) => (s.autoDelegate ? 'start at once' : 'wait for you') },
      { title: 'SINCE', cell: (s) => localTime(s.createdAt) },
      { title: 'REPLIES', cell: (s) => s.callback ?? 'fetched by the source', flexible: 20 },
    ],
    columns,
  )
