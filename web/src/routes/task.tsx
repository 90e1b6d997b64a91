import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function TaskPage() {
  return (
    <>
      <PageHead title="Task" />
      <Loading what="Loading" />
    </>
  )
}
