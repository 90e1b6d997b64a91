import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SessionId } from '#domain/ids'
import { Link } from '../../../components/link'
import { Button } from '../../../components/ui/button'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard } from '../../../components/ui/error-card'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { counted } from '../../../lib/format'
import { keptChoice } from '../../../lib/kept-choice'
import { visibleText } from '../../../lib/visible-text'
import { Choices } from '../../task/form/choices'
import { Patch } from '../rows/patch'
import { byFile, type FileChange, inOrder, shortPath } from './session-changes'
import { useSession } from './session-context'

const order = keptChoice('lodeline.changes-order', ['file', 'time'])

/** What the calls of a session changed, by file or in the order of time. */
export function ChangesView({ id, folder }: { id: SessionId; folder: string | null }) {
  const by = order.useChoice()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['session', id, 'changes'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      client.sessions.changes(id, pageParam === undefined ? {} : { cursor: pageParam }, { signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const changes = useMemo(() => data?.pages.flatMap((page) => page.changes) ?? [], [data])
  if (data === undefined)
    return error === null ? (
      <Loading what="Reading the changes" />
    ) : (
      <ErrorCard error={error} onRetry={() => void refetch()} />
    )
  if (changes.length === 0)
    return (
      <Empty title="No tool call changed a file.">
        <p>Changes that commands made are not listed.</p>
      </Empty>
    )
  const files = byFile(changes)
  return (
    <div data-testid="session-changes" className="scrolls min-h-0 flex-1 px-4 py-2 max-md:px-3">
      <div className="flex flex-wrap items-center gap-3 pb-2 text-xs text-ink-2">
        <Choices
          label="Order"
          choices={[
            ['file', 'by file'],
            ['time', 'by time'],
          ]}
          chosen={by}
          onChoose={order.choose}
        />
        <span>
          {counted(changes.length, 'call')} changed {counted(files.length, 'file')}
          {hasNextPage ? ' so far' : ''}
        </span>
      </div>
      {by === 'time'
        ? inOrder(changes).map((one) => (
            <Change key={`${one.change.toolUseId} ${one.path}`} change={one} folder={folder} />
          ))
        : files.map(({ path, changes: all }) => (
            <section key={path} aria-label={visibleText(path)} className="pb-3">
              <h2 className="truncate font-mono text-sm font-medium" title={visibleText(path)}>
                {visibleText(shortPath(path, folder))}
              </h2>
              {all.map((one) => (
                <Change key={one.change.toolUseId} change={one} folder={folder} />
              ))}
            </section>
          ))}
      {hasNextPage ? (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more changes
        </Button>
      ) : null}
    </div>
  )
}

function Change({ change: { path, change, hunks }, folder }: { change: FileChange; folder: string | null }) {
  const { pathTo } = useSession()
  const { at, eventId, subagentId } = change
  return (
    <div className="pb-1">
      <div className="flex flex-wrap gap-2 text-2xs text-ink-3">
        {at === null ? null : <When at={at} />}
        {subagentId === null ? null : <span>by a sub-agent</span>}
        {eventId === null ? null : (
          <Link
            to={pathTo({ at: eventId, agent: subagentId, view: 'conversation' })}
            className="text-accent hover:underline"
          >
            in the conversation
          </Link>
        )}
      </div>
      {hunks === null ? (
        <p className="text-xs text-ink-3">
          <span className="font-mono">{visibleText(shortPath(path, folder))}</span> was written. What changed is not
          recorded.
        </p>
      ) : (
        <Patch path={shortPath(path, folder)} hunks={hunks} />
      )}
    </div>
  )
}
