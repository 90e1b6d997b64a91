import { useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isAppError } from '#domain/errors'
import { Link } from '../components/link'
import { PageHead } from '../components/page-head'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { useIssue } from '../features/issue/issue-query'
import { IssueDetails } from '../features/issue/page/issue-details'
import { issuePagePath, parseIssueSearch } from '../features/issue/page/issue-page-search'
import { useListKeys } from '../features/issue/page/use-list-keys'
import { issuePathIn, useGo } from '../lib/links'
import { visibleText } from '../lib/visible-text'

/** One issue: its text, its dependencies, and who works on it. */
export function IssuePage() {
  const { id = '' } = useParams({ strict: false })
  const search = parseIssueSearch(useSearch({ strict: false }))
  const { data, error, refetch } = useIssue(id, search.project)
  const go = useGo()
  const whole = data?.issue.id
  // A unique prefix of an ID is enough; the address then gets the full ID.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the ID is known
  useEffect(() => {
    if (whole !== undefined && whole !== id) go(issuePagePath(whole, search), { replace: true })
  }, [whole, id])

  useListKeys(whole ?? id, search.project)

  if (data !== undefined) return <IssueDetails detail={data} search={search} isOld={error !== null} />
  return (
    <>
      <PageHead title={`Issue ${visibleText(id)}`} />
      {error === null ? <Loading what="Reading the issue" /> : <NotOne error={error} id={id} onRetry={refetch} />}
    </>
  )
}

/** There is no issue with this ID, or several: shows the candidates. */
function NotOne({ error, id, onRetry }: { error: unknown; id: string; onRetry(): void }) {
  const details = isAppError(error) ? (error.details ?? {}) : {}
  const projects = textsIn(details.trackers).map((path) => path.split('/').slice(0, -2).join('/'))
  const ids = [...textsIn(details.nearest), ...textsIn(details.ids)]
  const choices = [
    ...projects.map((dir) => ({ to: issuePathIn(id, dir), name: dir })),
    ...ids.map((one) => ({ to: issuePathIn(one, undefined), name: one })),
  ]
  if (projects.length === 0)
    return (
      <>
        <ErrorCard error={error} onRetry={onRetry} />
        <Choices choices={choices} />
      </>
    )
  return (
    <Empty title={`${projects.length} projects have an issue ${visibleText(id)}. Choose one:`}>
      <Choices choices={choices} />
    </Empty>
  )
}

function Choices({ choices }: { choices: readonly { to: string; name: string }[] }) {
  return (
    <ul className="flex flex-col gap-1 px-3 text-sm">
      {choices.map(({ to, name }) => (
        <li key={to}>
          <Link to={to} className="text-accent underline">
            {visibleText(name)}
          </Link>
        </li>
      ))}
    </ul>
  )
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
