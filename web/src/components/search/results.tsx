import type { ReactNode } from 'react'
import { useFoundIssues, useFoundSessions, useFoundTasks, useFoundWords } from '../../lib/find-things'
import { useGo } from '../../lib/links'
import { type ListCursor, useListCursor } from '../../lib/list-cursor'
import { kindsOf, type SearchKind, type SearchPageSearch, searchPath } from '../../lib/search-page'
import { Link } from '../link'
import { Empty, Loading } from '../ui/empty'
import { ErrorCard } from '../ui/error-card'
import { Panel } from '../ui/panel'
import { FoundRow, HitLine, hitPath } from './hit-row'
import { issueThing, sessionThing, type Thing, ThingLine, taskThing } from './thing-line'

/** Beside the words so many of each; alone, as many as one answer holds here. */
const FEW = 6
const MANY = 100

interface ResultsProps {
  search: SearchPageSearch
  /** Given the cursor, so that the field above can hand over to the list. */
  onCursor(focus: () => void): void
}

/** What was found, of all that is looked for. One cursor goes over everything. */
export function Results({ search, onCursor }: ResultsProps) {
  const { q = '', session, kind } = search
  const kinds = kindsOf(search)
  const limit = kinds.length === 1 ? MANY : FEW
  const words = useFoundWords(q, session, kinds.includes('words'))
  const sessions = useFoundSessions(q, limit, kinds.includes('sessions'))
  const tasks = useFoundTasks(q, limit, kinds.includes('tasks'))
  const issues = useFoundIssues(q, limit, kinds.includes('issues'))

  const hits = kinds.includes('words') ? (words.data?.hits ?? []) : []
  const lists: [
    kind: Thing['kind'],
    things: Thing[],
    hasMore: boolean,
    query: { isPending: boolean; error: unknown },
  ][] = [
    ['sessions', (sessions.data?.sessions ?? []).map(sessionThing), sessions.data?.nextCursor != null, sessions],
    ['tasks', (tasks.data?.tasks ?? []).map(taskThing), tasks.data?.nextCursor != null, tasks],
    ['issues', (issues.data?.issues ?? []).map(issueThing), issues.data?.nextCursor != null, issues],
  ]
  const shown = lists.filter(([name]) => kinds.includes(name))
  const paths = [...hits.map(hitPath), ...shown.flatMap(([, things]) => things.map(({ path }) => path))]
  const go = useGo()
  const cursor = useListCursor({
    count: paths.length,
    group: 'What was found',
    onOpen: (at) => {
      const path = paths[at]
      if (path !== undefined) go(path)
    },
  })
  onCursor(() => {
    cursor.set(0)
    cursor.row.current?.focus()
  })

  const asked = [kinds.includes('words') ? words : null, ...shown.map(([, , , query]) => query)].filter(
    (one) => one !== null,
  )
  const isPending = asked.some((query) => query.isPending)
  let from = hits.length
  return (
    <>
      <output aria-live="polite" className="sr-only">
        {isPending ? '' : `${paths.length} found`}
      </output>
      <div className={`grid items-start gap-3 ${kinds.length === 1 ? '' : 'lg:grid-cols-[minmax(0,1fr)_20rem]'}`}>
        {kinds.includes('words') ? (
          <Panel title="In conversations" id="found-words" count={hits.length}>
            {words.error !== null ? <ErrorCard error={words.error} onRetry={() => void words.refetch()} /> : null}
            {words.isPending ? <Loading what="Searching" /> : null}
            {words.data !== undefined && hits.length === 0 ? <NoWords q={q} session={session} /> : null}
            <ul>
              {hits.map((hit, at) => (
                <FoundRow key={hit.event.id} kind="words" {...place(cursor, at)}>
                  <HitLine hit={hit} />
                </FoundRow>
              ))}
            </ul>
            {words.data?.isTruncated === true ? (
              <Note>More than 2,000 lines match: only the newest 2,000 of them were ranked. More words find less.</Note>
            ) : hits.length === MANY ? (
              <Note>The best {MANY} are shown. More words find less.</Note>
            ) : null}
            {words.data === undefined ? null : (
              <Note>This searches prompts, answers and tool inputs. It does not search tool output.</Note>
            )}
          </Panel>
        ) : null}
        <div className="flex flex-col gap-3">
          {shown.map(([name, things, hasMore, query]) => {
            const begin = from
            from += things.length
            return (
              <Things
                key={name}
                name={name}
                things={things}
                query={query}
                begin={begin}
                cursor={cursor}
                more={!hasMore ? null : kind === undefined ? searchPath({ ...search, kind: name }) : ''}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}

const place = (cursor: ListCursor, at: number) => ({
  isCurrent: at === cursor.at,
  row: at === cursor.at ? cursor.row : null,
  onFocus: () => cursor.set(at),
})

const Note = ({ children }: { children: ReactNode }) => (
  <p className="border-t border-line px-3 py-2 text-xs text-ink-3">{children}</p>
)

const NAMES: Readonly<Record<Exclude<SearchKind, 'words'>, { title: string; none: string }>> = {
  sessions: { title: 'Sessions', none: 'No session has this in its title or id.' },
  tasks: { title: 'Tasks', none: 'No task has these words in its title, text or id.' },
  issues: { title: 'Issues', none: 'No issue has this in its title or id.' },
}

interface ThingsProps {
  name: Thing['kind']
  things: readonly Thing[]
  query: { isPending: boolean; error: unknown }
  /** Place of the first among all that was found. */
  begin: number
  cursor: ListCursor
  /** Where all of them are; '' = here, and there are more; `null` = there are no more. */
  more: string | null
}

function Things({ name, things, query, begin, cursor, more }: ThingsProps) {
  const { title, none } = NAMES[name]
  return (
    <Panel title={title} id={`found-${name}`} count={things.length}>
      {query.error !== null ? <ErrorCard error={query.error} /> : null}
      {query.isPending ? <Loading what={`Looking for ${name}`} /> : null}
      {!query.isPending && query.error === null && things.length === 0 ? (
        <p className="px-3 py-2 text-xs text-ink-3">{none}</p>
      ) : null}
      <ul>
        {things.map((thing, at) => (
          <FoundRow key={thing.id} kind={name} {...place(cursor, begin + at)}>
            <ThingLine thing={thing} />
          </FoundRow>
        ))}
      </ul>
      {more === null ? null : (
        <Note>
          {more === '' ? (
            'There are more. More words find less.'
          ) : (
            <Link to={more} className="text-accent underline">
              more {name}
            </Link>
          )}
        </Note>
      )}
    </Panel>
  )
}

function NoWords({ q, session }: { q: string; session: string | undefined }) {
  return (
    <Empty title="No line holds all of these words.">
      <p>
        Words count as they are written, whatever their case and marks.{' '}
        {q.endsWith('*') ? null : 'A star at the end finds longer ones: '}
        {q.endsWith('*') ? null : <b>begin*</b>}
        {session === undefined ? null : ' Only one session was looked through.'}
      </p>
    </Empty>
  )
}
