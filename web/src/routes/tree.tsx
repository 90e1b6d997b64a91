import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function TreePage() {
  return (
    <>
      <PageHead title="Tree" />
      <Loading what="Loading" />
    </>
  )
}
