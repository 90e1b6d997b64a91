import { useCallback, useState } from 'react'
import { NEW_ISSUE_PRIORITY } from '#domain/issue/issue-priority'
import { drop, keep, readKept } from '../task/form/task-draft'

/** An issue that is being written. `key` is the idempotency key, so that sending twice creates one issue. */
export interface IssueDraft {
  title: string
  description: string
  issueType: string
  priority: number
  labels: string
  project: string
  parentId: string
  key: string
}

/** Session storage key. */
const DRAFT_KEY = 'lodeline.new-issue'

const fresh = (): IssueDraft => ({
  title: '',
  description: '',
  issueType: 'task',
  priority: NEW_ISSUE_PRIORITY,
  labels: '',
  project: '',
  parentId: '',
  key: crypto.randomUUID(),
})

/** Parses a stored draft. Missing and invalid fields get their defaults. */
export function readDraft(text: string | null): IssueDraft {
  const draft = fresh()
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (typeof value !== 'object' || value === null) return draft
    const kept = Object.entries(draft).map(([name, first]) => {
      const found: unknown = (value as Record<string, unknown>)[name]
      return [name, typeof found === typeof first ? found : first]
    })
    return Object.fromEntries(kept) as IssueDraft
  } catch {
    return draft
  }
}

/** A draft that survives closing the dialog and reloading the page, until it is sent or discarded. */
export function useIssueDraft(first: Partial<IssueDraft>) {
  const [draft, setDraft] = useState(() => {
    const kept = readDraft(readKept(DRAFT_KEY))
    return kept.title === '' && kept.description === '' ? { ...kept, ...first } : kept
  })
  const change = useCallback((part: Partial<IssueDraft>) => {
    setDraft((now) => {
      // A changed draft is another issue.
      const next = { ...now, ...part, key: crypto.randomUUID() }
      keep(DRAFT_KEY, JSON.stringify(next))
      return next
    })
  }, [])
  return { draft, change }
}

/** Discards the stored draft. */
export const dropDraft = (): void => drop(DRAFT_KEY)
