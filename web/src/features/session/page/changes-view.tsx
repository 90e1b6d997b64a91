import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
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
import { Patch } from '../patch/patch'
import { CommentDialog, type CommentPlace } from './comment-dialog'
import { byFile, type FileChange, inOrder, shortPath } from './session-changes'
import { useSession } from './session-context'

const order = keptChoice('lodeline.changes-order', ['file', 'time'])
const columns = keptChoice('lodeline.changes-columns', ['one', 'two'])

interface ChangesViewProps {
  id: SessionId
  folder: string | null
  /** Where messages for the session go. */
  address: string
  /** Only what was changed until then, ISO 8601. */
  until?: string | undefined
}

/** What the calls of a session changed, by file or in the order of time. */
export function ChangesView({ id, folder, address, until }: ChangesViewProps) {
  const by = order.useChoice()
  const inColumns = columns.useChoice()
  const [comment, setComment] = useState<CommentPlace | null>(null)
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['session', id, 'changes'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      client.sessions.changes(id, pageParam === undefined ? {} : { cursor: pageParam }, { signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const changes = useMemo(
    () =>
      (data?.pages.flatMap((page) => page.changes) ?? []).filter(
        ({ at }) => until === undefined || at === null || at <= until,
      ),
    [data, until],
  )
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
  const look = { folder, isSplit: inColumns === 'two', onComment: setComment }
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
          onChoose={(next) => order.choose(next ?? 'file')}
        />
        <Choices
          label="Columns"
          choices={[
            ['one', 'one column'],
            ['two', 'side by side'],
          ]}
          chosen={inColumns}
          onChoose={(next) => columns.choose(next ?? 'one')}
        />
        <span>
          {counted(changes.length, 'call')} changed {counted(files.length, 'file')}
          {hasNextPage ? ' so far' : ''}
        </span>
      </div>
      {by === 'time'
        ? inOrder(changes).map((one) => <Change key={`${one.change.toolUseId} ${one.path}`} change={one} {...look} />)
        : files.map(({ path, changes: all }) => (
            <section key={path} aria-label={visibleText(path)} className="pb-3">
              {/* One change has the path above its lines. */}
              <h2
                className={all.length === 1 ? 'sr-only' : 'truncate font-mono text-sm font-medium'}
                title={visibleText(path)}
              >
                {visibleText(shortPath(path, folder))}
              </h2>
              {all.map((one) => (
                <Change key={one.change.toolUseId} change={one} {...look} />
              ))}
            </section>
          ))}
      {hasNextPage ? (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more changes
        </Button>
      ) : null}
      {comment === null ? null : <CommentDialog place={comment} address={address} onClose={() => setComment(null)} />}
    </div>
  )
}

interface ChangeProps {
  change: FileChange
  folder: string | null
  isSplit: boolean
  onComment(place: CommentPlace): void
}

function Change({ change: { path, change, hunks }, folder, isSplit, onComment }: ChangeProps) {
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
        <Patch
          path={shortPath(path, folder)}
          hunks={hunks}
          isSplit={isSplit}
          onComment={(line) => onComment({ path: shortPath(path, folder), line })}
        />
      )}
    </div>
  )
}
