import { useSearch } from '@tanstack/react-router'
import { PageHead } from '../components/page-head'
import { Empty } from '../components/ui/empty'
import { CommandLine } from '../components/ui/id-chip'
import { parseCompareSearch } from '../features/compare/compare-search'
import { CompareView } from '../features/compare/compare-view'
import { PickOther } from '../features/compare/pick-other'

/** Two sessions side by side: attempts, forks, or any other two. */
export function ComparePage() {
  const { a, b } = parseCompareSearch(useSearch({ from: '/compare' }))
  return (
    <>
      <PageHead title={b === null ? 'Compare with …' : 'Compare sessions'} />
      {a !== null && b !== null ? <CompareView key={`${a} ${b}`} a={a} b={b} /> : null}
      {a !== null && b === null ? <PickOther a={a} /> : null}
      {a === null ? (
        <Empty title="No session is chosen.">
          <p>Open a session and choose Compare, or run:</p>
          <CommandLine command="lode session compare A B" />
        </Empty>
      ) : null}
    </>
  )
}
