import { useState } from 'react'
import { MAX_TURNS } from '#api/contract/protocol'
import type { SessionId } from '#domain/ids'
import { compareFiles } from '#domain/session/compare'
import { Link } from '../../components/link'
import { Button } from '../../components/ui/button'
import { Loading } from '../../components/ui/empty'
import { ErrorCard } from '../../components/ui/error-card'
import { When } from '../../components/ui/when'
import { counted } from '../../lib/format'
import { sessionPath } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { CompareFacts } from './compare-facts'
import { CompareFiles } from './compare-files'
import { CompareTurns } from './compare-turns'
import { type Comparison, useComparison, useOutcomeOf } from './use-comparison'

/** Turns of each side at first, and that each press adds. */
const STEP = 20

/** Two sessions side by side: what came of each, their files, and their turns in step behind what they share. */
export function CompareView({ a, b }: { a: SessionId; b: SessionId }) {
  const [limit, setLimit] = useState(STEP)
  const { data, error, refetch, isFetching } = useComparison(a, b, limit)
  const first = useOutcomeOf(data?.first.session.id).data
  const second = useOutcomeOf(data?.second.session.id).data
  if (data === undefined)
    return error === null ? (
      <Loading what="Comparing the sessions" />
    ) : (
      <ErrorCard error={error} onRetry={() => void refetch()} />
    )
  const hasMore = (data.first.nextCursor !== null || data.second.nextCursor !== null) && limit < MAX_TURNS
  const files =
    first === undefined || second === undefined
      ? []
      : compareFiles(
          { cwd: data.first.session.cwd, files: first.files },
          { cwd: data.second.session.cwd, files: second.files },
        )
  return (
    <div data-testid="comparison" className="scrolls min-h-0 flex-1 px-4 py-3 max-md:px-3">
      <CompareFacts first={data.first.session} second={data.second.session} />
      {files.length === 0 ? null : (
        <CompareFiles
          first={data.first.session}
          second={data.second.session}
          files={files}
          sharedUntil={data.shared?.lastAt ?? null}
        />
      )}
      <Common comparison={data} />
      <CompareTurns first={data.first} second={data.second} />
      {hasMore ? (
        <Button isBusy={isFetching} onClick={() => setLimit(Math.min(MAX_TURNS, limit + STEP))}>
          Show more turns
        </Button>
      ) : null}
    </div>
  )
}

/** What both have, folded into one line. */
function Common({ comparison }: { comparison: Comparison }) {
  const { shared, first } = comparison
  return (
    <p className="my-3 flex flex-wrap items-center gap-2 border-y border-line py-1.5 text-xs text-ink-2">
      {relationWords(comparison)}
      {shared === null ? null : (
        <Link
          to={`${sessionPath(first.session.id)}?at=${shared.lastId}`}
          className="text-accent underline underline-offset-2"
        >
          {counted(shared.count, 'common line')}, until <When at={shared.lastAt} />
        </Link>
      )}
    </p>
  )
}

function relationWords({ relation, origin, first, second, shared }: Comparison): string {
  const [a, b] = [first, second].map(({ session: { title, id } }) => `“${visibleText(title ?? id.slice(0, 8))}”`)
  if (relation === 'from_first') return `${b} goes on from ${a}.`
  if (relation === 'to_first') return `${a} goes on from ${b}.`
  if (relation === 'same_origin') return `Both go on from ${origin === null ? 'one conversation' : origin.slice(0, 8)}.`
  return shared === null ? 'They have no common part.' : ''
}
