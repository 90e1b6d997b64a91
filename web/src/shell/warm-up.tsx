import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { NO_NEEDS, useNeeds } from '../features/home/needs'

/** The most visited pages after the tree, in the order in which their scripts are fetched. */
const WARMED_PAGES = ['/sessions/$id', '/tasks/$id', '/tasks', '/issues', '/issues/$id', '/search', '/costs'] as const

/**
 * Fetches the tree's script while the first page waits for its data, and then the tree's outermost level, because most people go there first.
 * The scripts of other pages follow one by one while the browser is idle. So the first visit to a page is as quick as the next.
 */
export function WarmUp() {
  const router = useRouter()
  const queries = useQueryClient()
  const isReady = useNeeds() !== NO_NEEDS
  useEffect(() => {
    // Errors are ignored here and below: visiting the page will show them.
    router.preloadRoute({ to: '/tree' }).catch(() => undefined)
  }, [router])
  useEffect(() => {
    if (!isReady) return
    let isEnded = false
    async function warm() {
      const { levelQuery } = await import('../features/tree/level-query')
      await queries.prefetchQuery(levelQuery('', {}, undefined))
      for (const to of WARMED_PAGES) {
        await idle()
        if (isEnded) return
        await router.preloadRoute({ to, params: { id: '-' } } as never).catch(() => undefined)
      }
    }
    warm().catch(() => undefined)
    return () => {
      isEnded = true
    }
  }, [isReady, router, queries])
  return null
}

/** Resolves when the browser is idle. Safari has no `requestIdleCallback`. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 500 })
    else setTimeout(resolve, 50)
  })
