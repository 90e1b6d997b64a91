import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function HomePage() {
  return (
    <>
      <PageHead title="Home" />
      <Loading what="Loading" />
    </>
  )
}
