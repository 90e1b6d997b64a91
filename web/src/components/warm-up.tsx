import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { NO_NEEDS, useNeeds } from '../lib/needs'

/** Where one goes most after the tree, in the order in which their parts are fetched. */
const NEXT = ['/sessions/$id', '/tasks/$id', '/tasks', '/issues', '/issues/$id', '/search', '/costs'] as const

/**
 * Fetches the tree's part while the first page waits for its answer, and its outermost level right behind it, since most go there first. The
 * parts of the other pages follow one after another while nothing else is to be done: so the first visit to a page is as quick as the next.
 */
export function WarmUp() {
  const router = useRouter()
  const queries = useQueryClient()
  const isReady = useNeeds() !== NO_NEEDS
  useEffect(() => {
    // A server that is away, or a page that is left: the visit itself will tell. So below.
    router.preloadRoute({ to: '/tree' }).catch(() => undefined)
  }, [router])
  useEffect(() => {
    if (!isReady) return
    let isEnded = false
    async function warm() {
      const { levelQuery } = await import('./tree/level-query')
      await queries.prefetchQuery(levelQuery('', {}, undefined))
      for (const to of NEXT) {
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

/** Safari has no way to ask for a quiet moment. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 500 })
    else setTimeout(resolve, 50)
  })
