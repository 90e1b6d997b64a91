import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { KeyHint } from '../components/ui/key-hint'
import { When } from '../components/ui/when'
import { DoctorFacts } from '../features/doctor/facts'
import { FindingPanel, findingsOf, Verdict } from '../features/doctor/findings'
import { client } from '../lib/api'
import { useKeys } from '../lib/keys/keys'

/** Whether everything is recorded and understood, and what Lodeline runs on. */
export function DoctorPage() {
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => client.doctor({ signal }),
    // Counting all rows is expensive: it is done for each visit and on request only.
    staleTime: 0,
  })
  const bindings = useMemo(
    () => [{ keys: 'r', label: 'check again', group: 'Doctor', run: () => void refetch() }],
    [refetch],
  )
  useKeys(bindings)
  const findings = useMemo(() => (data === undefined ? [] : findingsOf(data)), [data])
  return (
    <>
      <PageHead
        title="Doctor"
        {...(data !== undefined && {
          below: (
            <span>
              Checked <When at={new Date(dataUpdatedAt).toISOString()} />
            </span>
          ),
        })}
        actions={
          <Button icon={<RefreshCw aria-hidden size={13} />} isBusy={isFetching} onClick={() => void refetch()}>
            Check again <KeyHint keys="r" />
          </Button>
        }
      />
      <div data-testid="doctor-page" className="scrolls min-h-0 flex-1">
        {error === null ? null : <ErrorCard error={error} onRetry={() => void refetch()} />}
        {data === undefined ? (
          error === null ? (
            <Loading what="Checking the record" />
          ) : null
        ) : (
          <div className="flex max-w-6xl flex-col gap-3 p-3 md:p-4">
            <Verdict findings={findings} />
            {findings.map((finding) => (
              <FindingPanel key={finding.id} finding={finding} />
            ))}
            <DoctorFacts doctor={data} />
          </div>
        )}
      </div>
    </>
  )
}
