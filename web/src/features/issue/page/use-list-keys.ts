import { useEffect, useMemo, useRef } from 'react'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { useGo } from '../../../lib/links'
import { besideIssue, lastList, rememberOpened } from '../last-opened'
import { issuePagePath } from './issue-page-search'

/** Binds the keys that lead on in the list from which the issue was opened, and back to it: also while an issue is being read. */
export function useListKeys(id: string, project: string | undefined): void {
  const go = useGo()
  // The key after this one may come before the next issue is shown.
  const here = useRef(id)
  useEffect(() => {
    here.current = id
  }, [id])
  useKeys(
    useMemo((): KeyBinding[] => {
      const step = (by: 1 | -1) => (): boolean => {
        const next = besideIssue(here.current, by)
        if (next === undefined) return false
        here.current = next
        rememberOpened(next)
        go(issuePagePath(next, project === undefined ? {} : { project }), { replace: true })
        return true
      }
      const bind = (keys: string, label: string, run: KeyBinding['run']): KeyBinding => ({
        keys,
        label,
        group: 'Issue',
        run,
      })
      return [
        bind('j', 'next issue of the list', step(1)),
        bind('k', 'previous issue of the list', step(-1)),
        bind('h', 'back to the list', () => go(lastList())),
      ]
    }, [go, project]),
  )
}
