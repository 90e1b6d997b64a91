import { useSearch } from '@tanstack/react-router'
import { homePath, parseHomeSearch } from '../../lib/home-search'
import { useGo } from '../../lib/links'
import { lazyPart } from '../lazy-part'

const RequestDialog = lazyPart(async () => (await import('./request-dialog')).RequestDialog)

/** The request from outside that the address of Home names, in a dialog; loaded when there is one. */
export function OpenRequest() {
  const { request, ...rest } = parseHomeSearch(useSearch({ strict: false }))
  const go = useGo()
  if (request === undefined) return null
  return <RequestDialog key={request} id={request} onClose={() => go(homePath(rest), { replace: true })} />
}
