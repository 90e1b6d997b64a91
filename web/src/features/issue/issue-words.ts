import type { Answers } from '#api/contract/operations/index'
import { priorityName } from '#domain/issue/issue-priority'

type Entry = Answers['issues']['history']['history'][number]

/** Describes an entry of the history, after the name of who did it. */
export function historyWords({ event, old, new: now }: Pick<Entry, 'event' | 'old' | 'new'>): string {
  switch (event) {
    case 'created':
      return 'created it'
    case 'claimed':
      return 'claimed it'
    case 'released':
      return 'released it'
    case 'claim_lapsed':
      return 'ended the claim of a holder that is gone'
    case 'closed':
      return typeof now?.closeReason === 'string' && now.closeReason !== 'Closed'
        ? `closed it: ${short(now.closeReason)}`
        : 'closed it'
    case 'reopened':
      return typeof now?.reason === 'string' ? `reopened it: ${short(now.reason)}` : 'reopened it'
    case 'commented':
      return 'commented'
    case 'dispatched':
      return `dispatched it as task ${shown(now?.taskId)}`
    case 'updated':
      return changes(old, now)
    default: {
      const what = event.replaceAll('_', ' ')
      const id = now?.dependsOnId ?? old?.dependsOnId
      return typeof id === 'string' ? `${what} ${id}` : what
    }
  }
}

/** Fields with long texts, whose values are not shown. */
const LONG_FIELDS = new Set(['description', 'design', 'acceptanceCriteria', 'notes', 'extra', 'dependencies'])
/** Names of fields that differ from their identifiers. */
const FIELD_NAMES: Record<string, string> = {
  acceptanceCriteria: 'the acceptance criteria',
  issueType: 'type',
  dueAt: 'due date',
  deferUntil: 'deferred until',
  externalRef: 'external reference',
  estimatedMinutes: 'estimate',
  extra: 'other fields',
}
/** Fields that change as a consequence of others. */
const DERIVED_FIELDS = new Set(['startedAt', 'closedAt', 'closedBySession', 'updatedAt', 'activeTaskSession'])

function changes(old: Entry['old'], now: Entry['new']): string {
  const parts = Object.entries(now ?? {}).flatMap(([field, value]) => {
    if (DERIVED_FIELDS.has(field)) return []
    const name = FIELD_NAMES[field] ?? field
    if (LONG_FIELDS.has(field)) return [`rewrote ${name.startsWith('the ') ? name : `the ${name}`}`]
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
