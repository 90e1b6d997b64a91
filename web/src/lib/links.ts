import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { parseSearch, type Search, writeSearch } from './search'

/** Paths of pages, by the IDs that the CLI takes. */
export const sessionPath = (id: string): string => `/sessions/${encodeURIComponent(id)}`
export const taskPath = (id: string): string => `/tasks/${encodeURIComponent(id)}`
export const issuePath = (id: string): string => `/issues/${encodeURIComponent(id)}`
/** An issue's page within a project, so that the way back leads to that project's list. */
export const issuePathIn = (id: string, project: string | undefined): string => issuePath(id) + writeSearch({ project })

/** Navigates to a path with its search part, for example `/sessions/x?at=…`. */
export function useGo(): (to: string, options?: { replace?: boolean }) => void {
  const navigate = useNavigate()
  return useCallback(
    (to, options) => {
      const url = new URL(to, location.origin)
      // The path is only known as text here: it may come from an ID that a person pasted.
      void navigate({
        to: url.pathname as '/',
        search: parseSearch(url.search),
        ...(url.hash === '' ? {} : { hash: url.hash.slice(1) }),
        ...(options?.replace === true ? { replace: true } : {}),
      })
    },
    [navigate],
  )
}

/** The same path with a changed search part. A field that is `undefined` is removed. */
export const withSearch = (
  path: string,
  search: Search,
  change: Readonly<Record<string, string | undefined>>,
): string => path + writeSearch({ ...search, ...change })
