import { useSearch } from '@tanstack/react-router'
import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { lazyPart } from '../components/lazy-part'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Empty } from '../components/ui/empty'
import { CommandLine } from '../components/ui/id-chip'
import { parseCompareSearch } from '../features/compare/compare-search'
import { CompareView } from '../features/compare/compare-view'
import { PickOther } from '../features/compare/pick-other'

const ShareDialog = lazyPart(async () => (await import('../features/session/page/share-dialog')).ShareDialog)

/** Two sessions side by side: attempts, forks, or any other two. */
export function ComparePage() {
  const { a, b } = parseCompareSearch(useSearch({ from: '/compare' }))
  const [isSharing, setSharing] = useState(false)
  const both = a !== null && b !== null
  return (
    <>
      <PageHead
        title={b === null ? 'Compare with …' : 'Compare sessions'}
        {...(both && {
          actions: (
            <Button icon={<Share2 aria-hidden size={13} />} onClick={() => setSharing(true)}>
              Share or export
            </Button>
          ),
        })}
      />
      {both && isSharing ? <ShareDialog session={{ id: a }} beside={b} onClose={() => setSharing(false)} /> : null}
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
