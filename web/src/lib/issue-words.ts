import type { ResponseOf } from '../../../src/api/contract/responses'
import { priorityName } from '../../../src/domain/issue-priority'

type Entry = ResponseOf<'issues.history'>['history'][number]

/** What an entry of the history says, behind who did it. */
export function historyWords({ event, old, new: now }: Pick<Entry, 'event' | 'old' | 'new'>): string {
  switch (event) {
    case 'created':
      return 'wrote it'
    case 'claimed':
      return 'claimed it'
    case 'released':
      return 'released it'
    case 'claim_lapsed':
      return 'ended a claim whose holder is gone'
    case 'closed':
      return typeof now?.closeReason === 'string' && now.closeReason !== 'Closed'
        ? `closed it: ${short(now.closeReason)}`
        : 'closed it'
    case 'reopened':
      return typeof now?.reason === 'string' ? `opened it again: ${short(now.reason)}` : 'opened it again'
    case 'commented':
      return 'commented'
    case 'dispatched':
      return `made the task ${shown(now?.taskId)} of it`
    case 'updated':
      return changes(old, now)
    default: {
      const what = event.replaceAll('_', ' ')
      const id = now?.dependsOnId ?? old?.dependsOnId
      return typeof id === 'string' ? `${what} ${id}` : what
    }
  }
}

/** Long texts are named only. */
const LONG = new Set(['description', 'design', 'acceptanceCriteria', 'notes', 'extra', 'dependencies'])
const NAMES: Record<string, string> = {
  acceptanceCriteria: 'the acceptance criteria',
  issueType: 'type',
  dueAt: 'due',
  deferUntil: 'put off until',
  externalRef: 'the reference elsewhere',
  estimatedMinutes: 'the estimate',
  extra: 'other fields',
}
/** They follow from others. */
const FOLLOWS = new Set(['startedAt', 'closedAt', 'closedBySession', 'updatedAt', 'activeTaskSession'])

function changes(old: Entry['old'], now: Entry['new']): string {
  const parts = Object.entries(now ?? {}).flatMap(([field, value]) => {
    if (FOLLOWS.has(field)) return []
    const name = NAMES[field] ?? field
    if (LONG.has(field)) return [`rewrote ${name.startsWith('the ') ? name : `the ${name}`}`]
    if (field === 'labels') return [labelWords(old?.labels, value)]
    const text = (one: unknown) => (field === 'priority' && typeof one === 'number' ? priorityName(one) : shown(one))
    return [`${name}: ${text(old?.[field])} → ${text(value)}`]
  })
  return parts.length === 0 ? 'changed it' : parts.join('; ')
}

function labelWords(old: unknown, now: unknown): string {
  const [before, after] = [namesIn(old), namesIn(now)]
  const words = [
    ...after.filter((label) => !before.includes(label)).map((label) => `+${label}`),
    ...before.filter((label) => !after.includes(label)).map((label) => `−${label}`),
  ]
  return `labels: ${words.join(' ')}`
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

const short = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text)

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  return short(typeof value === 'string' ? value : JSON.stringify(value))
}
