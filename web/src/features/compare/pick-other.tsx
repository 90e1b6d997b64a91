import { useQuery } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { type SessionId, sessionId } from '#domain/ids'
import { Link } from '../../components/link'
import { Button } from '../../components/ui/button'
import { Loading } from '../../components/ui/empty'
import { ErrorCard } from '../../components/ui/error-card'
import { TextField } from '../../components/ui/field'
import { When } from '../../components/ui/when'
import { client } from '../../lib/api'
import { useListCursor } from '../../lib/keys/list-cursor'
import { useGo } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { comparePath } from './compare-search'

/** Sessions of the same project that are offered. */
const OFFERED = 30

/** Chooses what a session is compared with: a fork, where it came from, or another session of its project. */
export function PickOther({ a }: { a: SessionId }) {
  const go = useGo()
  const [typed, setTyped] = useState('')
  const { data, error, refetch } = useQuery({
    queryKey: ['session', a, 'others'],
    queryFn: async ({ signal }) => {
      const { session } = await client.sessions.place(a, { agentLimit: 1 }, { signal })
      if (session === null) return []
      const [forks, others] = await Promise.all([
        client.sessions.list({ forkedFrom: session.id, limit: OFFERED }, { signal }),
        session.project === null
          ? { sessions: [] }
          : client.sessions.list({ project: session.project, limit: OFFERED }, { signal }),
      ])
      const { forkedFrom, resumedFrom, translatedFrom } = session
      const parents = [forkedFrom, resumedFrom, translatedFrom]
      const near = (id: SessionId): number =>
        parents.includes(id) || forks.sessions.some((one) => one.id === id) ? 0 : 1
      const all = new Map([...forks.sessions, ...others.sessions].map((one) => [one.id, one]))
      all.delete(session.id)
      return [...all.values()].sort((one, other) => near(one.id) - near(other.id))
    },
  })
  const cursor = useListCursor({
    count: data?.length ?? 0,
    group: 'Sessions to compare with',
    onOpen: (at) => {
      const other = data?.[at]
      if (other !== undefined) go(comparePath({ a, b: other.id }))
    },
  })
  return (
    <div className="scrolls min-h-0 flex-1 px-4 py-3 text-sm max-md:px-3">
      <form
        className="flex max-w-lg items-end gap-2 pb-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed.trim() !== '') go(comparePath({ a, b: sessionId(typed.trim()) }))
        }}
      >
        <div className="flex-1">
          <TextField label="ID of the other session" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </div>
        <Button type="submit" look="main" className="h-8 max-md:h-10">
          Compare
        </Button>
      </form>
      {error === null ? null : <ErrorCard error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <Loading what="Reading sessions" /> : null}
      <ul aria-label="Sessions to compare with">
        {data?.map(({ id, title, startedAt }, at) => (
          <li
            key={id}
            ref={(cursor.at === at ? cursor.row : null) as RefObject<HTMLLIElement | null> | null}
            tabIndex={cursor.at === at ? 0 : -1}
            onFocus={() => cursor.set(at)}
            aria-current={cursor.at === at ? 'true' : undefined}
            className={`flex gap-3 border-b border-line px-2 py-1.5 focus-visible:outline-offset-[-2px] ${cursor.at === at ? 'row-current' : 'hover:bg-hover'}`}
          >
            <Link to={comparePath({ a, b: id })} className="min-w-0 flex-1 truncate hover:underline">
              {visibleText(title ?? id)}
            </Link>
            {startedAt === null ? null : <When at={startedAt} className="text-xs text-ink-3" />}
          </li>
        ))}
      </ul>
    </div>
  )
}
