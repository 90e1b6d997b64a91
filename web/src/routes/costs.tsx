import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function CostsPage() {
  return (
    <>
      <PageHead title="Costs" />
      <Loading what="Loading" />
    </>
  )
}
