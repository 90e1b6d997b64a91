import { GitCommitHorizontal, GitMerge, GitPullRequest } from 'lucide-react'
import { plainWords } from '#domain/plain-words'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { OutsideLink } from '../../../components/ui/outside-link'
import { SessionLength } from '../../../components/ui/session-length'
import { counted } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import type { SessionPlace } from './session-search'
import { type KnownSession, useOutcome } from './use-session-data'

interface OutcomeBandProps {
  session: KnownSession
  /** Goes to the next failed call. */
  onError(): void
  onMove(change: Partial<SessionPlace>): void
}

/** Commits and pull requests that are named. */
const SHOWN_PRODUCTS = 4

/** What came of a session: its last words, how long it took, errors, changed files, commits and pull requests. */
export function OutcomeBand({ session, onError, onMove }: OutcomeBandProps) {
  const products = useOutcome(session.id).data?.products ?? []
  const { counts, lastWords } = session
  // Pull requests say more than commits.
  const named = products.toSorted((a, b) => Number(b.kind === 'pull_request') - Number(a.kind === 'pull_request'))
  return (
    <section
      aria-label="Outcome"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-4 py-1 text-xs text-ink-2 max-md:px-3"
    >
      {lastWords === null ? null : (
        <div className="min-w-0 flex-1 basis-96 text-sm text-ink max-md:basis-full">
          <AgentLine text={plainWords(lastWords)} />
        </div>
      )}
      <SessionLength session={session} />
      {counts.errors === 0 ? null : (
        <Button look="quiet" onClick={onError} title="Go to the next failed call" className="px-1 text-fail!">
          {counted(counts.errors, 'error')}
        </Button>
      )}
      {counts.filesChanged === 0 ? null : (
        <Button look="quiet" onClick={() => onMove({ view: 'changes' })} title="Show the changes" className="px-1">
          {counted(counts.filesChanged, 'file')} changed
        </Button>
      )}
      {named.slice(0, SHOWN_PRODUCTS).map(({ kind, name, title, mergedAt }) => (
        <span key={name} className="inline-flex items-center gap-1" title={visibleText(title ?? name)}>
          {kind === 'commit' ? (
            <>
              <GitCommitHorizontal aria-hidden size={12} />
              <span className="sr-only">commit</span>
              <span className="font-mono">{name.slice(0, 7)}</span>
            </>
          ) : (
            <>
              {mergedAt === null ? <GitPullRequest aria-hidden size={12} /> : <GitMerge aria-hidden size={12} />}
              <OutsideLink href={name}>#{name.split('/').at(-1)}</OutsideLink>
              {mergedAt === null ? null : <span>merged</span>}
            </>
          )}
        </span>
      ))}
      {named.length > SHOWN_PRODUCTS ? <span>{named.length - SHOWN_PRODUCTS} more</span> : null}
    </section>
  )
}
