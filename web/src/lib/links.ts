import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { parseSearch, type Search, writeSearch } from './search'

/** Pages of things, by the ids that the CLI takes. */
export const sessionPath = (id: string): string => `/sessions/${encodeURIComponent(id)}`
export const taskPath = (id: string): string => `/tasks/${encodeURIComponent(id)}`
export const issuePath = (id: string): string => `/issues/${encodeURIComponent(id)}`

/** Goes to a path with its search, e.g. `/sessions/x?at=…`. */
export function useGo(): (to: string, options?: { replace?: boolean }) => void {
  const navigate = useNavigate()
  return useCallback(
    (to, options) => {
      const url = new URL(to, location.origin)
      // Addresses of the page's own are only known as text here: they come from ids that a person pasted, too.
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

/** The same page with other words behind `?`; a field that is `undefined` goes. */
export const withSearch = (
  path: string,
  search: Search,
  change: Readonly<Record<string, string | undefined>>,
): string => path + writeSearch({ ...search, ...change })
