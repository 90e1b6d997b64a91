import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { homePath, parseHomeSearch } from '../../lib/home-search'
import { useGo } from '../../lib/links'

const RequestDialog = lazy(() => import('./request-dialog').then((part) => ({ default: part.RequestDialog })))

/** The request from outside that the address of Home names, in a dialog; loaded when there is one. */
export function OpenRequest() {
  const { request, ...rest } = parseHomeSearch(useSearch({ strict: false }))
  const go = useGo()
  if (request === undefined) return null
  return (
    <Suspense>
      <RequestDialog key={request} id={request} onClose={() => go(homePath(rest), { replace: true })} />
    </Suspense>
  )
}
