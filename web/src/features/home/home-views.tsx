import { SavedViews, type ViewCount } from '../../components/saved-views'
import { client } from '../../lib/api'
import { useGo } from '../../lib/links'
import { parseSearch } from '../../lib/search'
import { type HomeSearch, homePath, homeView, parseHomeSearch } from './home-search'
import { needCount, useLastSeen } from './needs'

/** The menu of named views of Home: a list of it, of one agent CLI or all. */
export function HomeViews({ search }: { search: HomeSearch }) {
  const go = useGo()
  const since = useLastSeen()
  return (
    <SavedViews
      list="home"
      search={homeView(search)}
      count={(wanted, signal) => countRows(wanted, since, signal)}
      onOpen={(wanted) => go(homePath(parseHomeSearch(parseSearch(wanted))), { replace: true })}
    />
  )
}

/** As many as the tab of the list says; what went on since then is no list of rows. */
async function countRows(search: string, since: string, signal: AbortSignal): Promise<ViewCount | null> {
  const { tab = 'needs', agent } = parseHomeSearch(parseSearch(search))
  if (tab === 'digest') return null
  const overview = await client.overview({ since, limit: 1, agent }, { signal })
  return { rows: tab === 'needs' ? needCount(overview) : overview.counts[tab], isMore: false }
}
