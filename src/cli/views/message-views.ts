import type { Message, MessageStep } from '../../domain/message/message'
import { age, localTime } from '../print/measures'
import { fields, table } from '../print/table'
import { block, oneLine } from '../print/text'
import type { ViewSettings } from './session/session-views'

export function messageTable(messages: readonly Message[], { now, columns }: ViewSettings): string {
  return table(
    messages,
    [
      { title: 'ID', cell: (m) => m.id },
      { title: 'KIND', cell: (m) => m.kind },
      { title: 'STATUS', cell: (m) => (m.route === null ? m.status : `${m.status} (${m.route})`) },
      { title: 'AGE', cell: (m) => age(m.createdAt, now), align: 'right' },
      { title: 'TO', cell: (m) => m.to, max: 36 },
      { title: 'FROM', cell: (m) => m.from.address ?? m.from.name, max: 36 },
      { title: 'TEXT', cell: (m) => m.text.slice(0, 400), flexible: 20 },
    ],
    columns,
  )
}

export function messageView(m: Message, steps: readonly MessageStep[], waits: string | null): string {
  const head = fields([
    ['message', m.id],
    ['kind', m.kind],
    ['status', m.evidence === null ? m.status : `${m.status} (${m.evidence})`],
    ['waits', waits],
    ['to', m.to],
    ['from', m.from.address === null ? m.from.name : `${m.from.address}  ${m.from.name}`],
    ['cause', m.cause],
    ['answers', m.replyTo],
    ['sent', localTime(m.createdAt)],
    ['full text', m.fullAt],
  ])
  const way = steps.map((step) => `${localTime(step.at)}  ${step.status}  ${oneLine(step.text)}\n`)
  return [head, `${block(m.text).trimEnd()}\n`, way.join('')].join('\n')
}
