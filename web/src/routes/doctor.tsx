import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'

export function DoctorPage() {
  return (
    <>
      <PageHead title="Doctor" />
      <Loading what="Loading" />
    </>
  )
}
