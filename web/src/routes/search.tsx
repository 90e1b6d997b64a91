import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function SearchPage() {
  return (
    <>
      <PageHead title="Search" />
      <Loading what="Loading" />
    </>
  )
}
