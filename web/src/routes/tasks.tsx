import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function TasksPage() {
  return (
    <>
      <PageHead title="Tasks" />
      <Loading what="Loading" />
    </>
  )
}
