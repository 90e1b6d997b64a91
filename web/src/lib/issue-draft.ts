import { useCallback, useState } from 'react'
import { drop, keep, readKept } from './task-draft'

/** An issue that is being written. `key` makes what is sent twice one issue. */
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

const KEY = 'lodeline.new-issue'

const fresh = (): IssueDraft => ({
  title: '',
  description: '',
  issueType: 'task',
  priority: 2,
  labels: '',
  project: '',
  parentId: '',
  key: crypto.randomUUID(),
})

/** What this tab kept of it; what is missing or of another kind there is as at first. */
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

/** The draft outlives a closed dialog and a reload of the page, until it is sent or thrown away. */
export function useIssueDraft(first: Partial<IssueDraft>) {
  const [draft, setDraft] = useState(() => {
    const kept = readDraft(readKept(KEY))
    return kept.title === '' && kept.description === '' ? { ...kept, ...first } : kept
  })
  const change = useCallback((part: Partial<IssueDraft>) => {
    setDraft((now) => {
      // Other words are another issue.
      const next = { ...now, ...part, key: crypto.randomUUID() }
      keep(KEY, JSON.stringify(next))
      return next
    })
  }, [])
  return { draft, change }
}

export const dropDraft = (): void => drop(KEY)
