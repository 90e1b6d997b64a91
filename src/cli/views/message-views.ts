import type { Message, MessageStep } from '../../domain/message/message'
import { age, localTime } from '../print/measures'
import { fields, table } from '../print/table'
import { block, oneLine } from '../print/text'
import { shortIds } from './ids'
import type { ViewSettings } from './session/session-views'

export function messageTable(messages: readonly Message[], { now, columns }: ViewSettings): string {
  const short = shortIds(messages.map(({ id }) => id))
  const place = (address: string) => (columns > 0 ? shortAddress(address) : address)
  return table(
    messages,
    [
      { title: 'ID', cell: (m) => (columns > 0 ? short(m.id) : m.id) },
      { title: 'KIND', cell: (m) => m.kind, spare: 1 },
      { title: 'STATUS', cell: (m) => (m.route === null ? m.status : `${m.status} (${m.route})`) },
      { title: 'AGE', cell: (m) => age(m.createdAt, now), align: 'right' },
      { title: 'TO', cell: (m) => place(m.to), max: 36 },
      { title: 'FROM', cell: (m) => place(m.from.address ?? m.from.name), max: 36 },
      { title: 'TEXT', cell: (m) => m.text.slice(0, 400), flexible: 20 },
    ],
    columns,
  )
}

/** An id in an address by its beginning, which commands take as well. */
const shortAddress = (address: string): string =>
  address.replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '$1')

/** What the step says, which may begin with the status that it led to. */
const stepText = ({ status, text }: MessageStep): string => {
  const words = oneLine(text)
  return words.startsWith(`${status}:`) ? words : `${status}  ${words}`
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
  const way = steps.map((step) => `${localTime(step.at)}  ${stepText(step)}\n`)
  return [head, `${block(m.text).trimEnd()}\n`, way.join('')].join('\n')
}
