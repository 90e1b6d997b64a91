import { useSearch } from '@tanstack/react-router'
import { lazyPart } from '../../components/lazy-part'
import { useGo } from '../../lib/links'
import { homePath, parseHomeSearch } from '../home/home-search'

const RequestDialog = lazyPart(async () => (await import('./request-dialog')).RequestDialog)

/** The dialog of the request that the address of Home names. Its script is loaded when needed. */
export function OpenRequest() {
  const { request, ...rest } = parseHomeSearch(useSearch({ strict: false }))
  const go = useGo()
  if (request === undefined) return null
  return <RequestDialog key={request} id={request} onClose={() => go(homePath(rest), { replace: true })} />
}
