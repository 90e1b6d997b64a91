import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function FleetPage() {
  return (
    <>
      <PageHead title="Fleet" />
      <Loading what="Loading" />
    </>
  )
}
