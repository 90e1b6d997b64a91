import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function IssuesPage() {
  return (
    <>
      <PageHead title="Issues" />
      <Loading what="Loading" />
    </>
  )
}
