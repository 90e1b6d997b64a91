import { NEED_KINDS, type NeedKind } from '../../domain/overview/need'
import type { Need } from '../../domain/overview/overview'
import { age, plural } from '../print/measures'
import { table } from '../print/table'
import { cut, oneLine, pad } from '../print/text'
import { shortIds } from './ids'
import type { ViewSettings } from './session/session-views'

/** Needs that a status shows; the rest is counted. */
const SHOWN = 10

const WORDS: Readonly<Record<NeedKind, readonly [one: string, many: string]>> = {
  question: ['question', 'questions'],
  waiting: ['waiting session', 'waiting sessions'],
  failure: ['failed task', 'failed tasks'],
  budget: ['used-up budget', 'used-up budgets'],
  request: ['new request', 'new requests'],
  stuck: ['stuck session', 'stuck sessions'],
  lost: ['lost', 'lost'],
  untaken: ['not taken', 'not taken'],
  unread: ['unread result', 'unread results'],
  message: ['unread message', 'unread messages'],
}

/** Kinds that a person reads by other words than their own. */
export const NEED_LABELS: Partial<Record<NeedKind, string>> = { untaken: 'not taken' }

type ShownNeed = Pick<Need, 'kind' | 'since' | 'title' | 'text' | 'command'>
type Counts = Partial<Record<NeedKind, number>>

/** e.g. `3 (2 questions, 1 failed task)`; `null` = nothing. */
export function needCounts(counts: Counts): string | null {
  const parts = NEED_KINDS.flatMap((kind) => {
    const n = counts[kind] ?? 0
    return n === 0 ? [] : [plural(n, ...WORDS[kind])]
  })
  const total = NEED_KINDS.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0)
  return parts.length < 2 ? (parts[0] ?? null) : `${total} (${parts.join(', ')})`
}

/** Two lines for each: what it is, and what to type. */
export function needList(needs: readonly ShownNeed[], counts: Counts, { now, columns }: ViewSettings): string {
  const shown = needs.slice(0, SHOWN)
  const lines = shown.flatMap((need) => {
    const head = `${pad(NEED_LABELS[need.kind] ?? need.kind, 9)}  ${pad(age(need.since, now), 4, 'right')}  `
    const text = oneLine(need.text.slice(0, 400))
    const what = `${oneLine(need.title)}${text === '' ? '' : `: ${text}`}`
    const command = need.command === null ? [] : [`${' '.repeat(head.length)}${oneLine(need.command)}`]
    return [`${head}${columns > 0 ? cut(what, Math.max(20, columns - head.length)) : what}`, ...command]
  })
  const left = NEED_KINDS.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0) - shown.length
  if (left > 0) lines.push(`and ${left} more; 'lode status --json' lists the first 200`)
  return lines.map((line) => `${line}\n`).join('')
}

/** By what a person names a need: the task, session or whatever it is about. */
export const subjectOf = ({ id, taskId, sessionId, inboxId, messageId, subagentId }: NamedNeed): string =>
  inboxId ?? messageId ?? subagentId ?? taskId ?? sessionId ?? id

type NamedNeed = { id: string } & Record<'taskId' | 'sessionId' | 'inboxId' | 'messageId' | 'subagentId', string | null>

/** A row for each, with what can be typed back. */
export function needTable(needs: readonly (ShownNeed & NamedNeed)[], { now, columns }: ViewSettings): string {
  const short = shortIds(needs.map(subjectOf))
  return table(
    needs,
    [
      { title: 'KIND', cell: ({ kind }) => NEED_LABELS[kind] ?? kind },
      { title: 'AGE', cell: ({ since }) => age(since, now), align: 'right' },
      { title: 'ID', cell: (need) => short(subjectOf(need)), max: 36 },
      {
        title: 'WHAT',
        cell: ({ title, text }) => (text === '' ? title : `${title}: ${text.slice(0, 400)}`),
        flexible: 20,
        max: 200,
      },
    ],
    columns,
  )
}
