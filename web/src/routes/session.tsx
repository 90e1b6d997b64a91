import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function SessionPage() {
  return (
    <>
      <PageHead title="Session" />
      <Loading what="Loading" />
    </>
  )
}
