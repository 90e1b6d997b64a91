import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function IssuePage() {
  return (
    <>
      <PageHead title="Issue" />
      <Loading what="Loading" />
    </>
  )
}
