import { type ReactNode, useCallback, useMemo, useState } from 'react'
import type { SearchHit } from '#api/contract/wire'
import { Link } from '../../components/link'
import { Empty, Loading } from '../../components/ui/empty'
import { ErrorCard } from '../../components/ui/error-card'
import { Panel } from '../../components/ui/panel'
import { useKeys } from '../../lib/keys/keys'
import { type ListCursor, useListCursor } from '../../lib/keys/list-cursor'
import { useGo } from '../../lib/links'
import { useHasRoomBeside } from '../../lib/narrow'
import { foundForms } from '../session/list/found-marks'
import { FacetBar } from './facet-bar'
import { MAX_HITS, useFoundIssues, useFoundSessions, useFoundTasks, useFoundWords } from './find-things'
import { groupHits, matchCount } from './hit-groups'
import { HitPreview, previewChoice } from './hit-preview'
import { FoundRow, HitLine, HitSession, hitPath } from './hit-row'
import { kindsOf, type SearchKind, type SearchPageSearch, searchPath } from './search-page'
import { issueThing, sessionThing, type Thing, ThingLine, taskThing } from './thing-line'

/** Results of each kind if several kinds are shown. */
const FEW_RESULTS = 6
/** Results if only one kind is shown. */
const MANY_RESULTS = 100

interface ResultsProps {
  search: SearchPageSearch
  /** Called with a function that focuses the first result, for the field above. */
  onCursor(focus: () => void): void
}

/** The row from which a person went to a result: the way back leads to it. */
const kept = { search: '', at: 0 }

function useKeptRow(search: string): [at: number, set: (at: number) => void] {
  const [, redraw] = useState(0)
  const set = useCallback(
    (at: number) => {
      Object.assign(kept, { search, at })
      redraw((count) => count + 1)
    },
    [search],
  )
  return [kept.search === search ? kept.at : 0, set]
}

/** All search results. One cursor spans all lists. */
export function Results({ search, onCursor }: ResultsProps) {
  const { q = '', session, agent, kind } = search
  const kinds = kindsOf(search)
  const limit = kinds.length === 1 ? MANY_RESULTS : FEW_RESULTS
  const words = useFoundWords(q, { session, agent }, kinds.includes('words'))
  const sessions = useFoundSessions(q, agent, limit, kinds.includes('sessions'))
  const tasks = useFoundTasks(q, limit, kinds.includes('tasks'))
  const issues = useFoundIssues(q, limit, kinds.includes('issues'))

  const groups = kinds.includes('words') ? groupHits(words.data?.hits ?? [], words.data?.facets?.session ?? []) : []
  const hits = groups.flatMap((group) => group.hits)
  const allHits = words.data?.hits
  const forms = useMemo(() => foundForms(allHits ?? []), [allHits])
  const begins = new Map(hits.map((hit, at) => [hit, at]))
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
  const paths = [
    ...hits.map((hit) => hitPath(hit, q)),
    ...shown.flatMap(([, things]) => things.map(({ path }) => path)),
  ]
  const go = useGo()
  const [at, setAt] = useKeptRow(JSON.stringify(search))
  const cursor = useListCursor({
    at,
    onMove: setAt,
    count: paths.length,
    group: 'Search results',
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
  const preview = usePreview(hits, cursor.at)
  const isBeside = preview !== undefined
  const layout = layoutOf(kinds.length > 1, isBeside)
  let from = hits.length
  if (kinds.length === 0)
    return (
      <Empty title="These filters are of lines of conversations.">
        <p>
          <Link to={searchPath({ ...search, kind: 'words' })} className="text-accent underline">
            Search conversations
          </Link>{' '}
          with them, or remove them: titles and IDs have words only.
        </p>
      </Empty>
    )
  return (
    <>
      <output aria-live="polite" className="sr-only">
        {isPending ? '' : `${paths.length} found`}
      </output>
      <div className={layout.grid}>
        {kinds.includes('words') ? (
          <div className={layout.column}>
            <Panel title="In conversations" id="found-words" count={matchCount(groups)}>
              {words.error !== null ? <ErrorCard error={words.error} onRetry={() => void words.refetch()} /> : null}
              {words.isPending ? <Loading what="Searching" /> : null}
              {words.data !== undefined && hits.length === 0 ? <NoWords session={session} /> : null}
              {words.data?.facets == null || hits.length === 0 ? null : (
                <FacetBar
                  q={q}
                  facets={words.data.facets}
                  isCut={words.data.isTruncated}
                  onChange={(next) => go(searchPath({ ...search, q: next }))}
                />
              )}
              {words.data?.isByParts === true ? (
                <Note>No line has all of these words. These lines have them as parts of words.</Note>
              ) : null}
              <ul>
                {groups.map((group) => (
                  <li key={group.session}>
                    <div className="border-b border-line px-3 pt-1.5">
                      {group.hits[0] === undefined ? null : <HitSession hit={group.hits[0]} />}
                    </div>
                    <ul>
                      {group.hits.map((hit) => (
                        <FoundRow key={hit.event.id} kind="words" {...place(cursor, begins.get(hit) ?? 0)}>
                          <HitLine hit={hit} path={hitPath(hit, q)} />
                        </FoundRow>
                      ))}
                    </ul>
                    {group.count > group.hits.length && session === undefined ? (
                      <Note>
                        <Link to={searchPath({ ...search, session: group.session })} className="text-accent underline">
                          All {group.count.toLocaleString('en')} matches in this session
                        </Link>
                      </Note>
                    ) : null}
                  </li>
                ))}
              </ul>
              {words.data?.isTruncated === true ? (
                <Note>
                  There may be more matches than the newest that were looked at. Add words to narrow the search.
                </Note>
              ) : words.data?.hits.length === MAX_HITS ? (
                <Note>Showing the best {MAX_HITS}. Add words to narrow the search.</Note>
              ) : null}
            </Panel>
          </div>
        ) : null}
        <div className={layout.beside}>
          {preview === undefined ? null : <HitPreview hit={preview} q={q} forms={forms} />}
          <div className={layout.things}>
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
      </div>
    </>
  )
}

/** The hit whose conversation is shown beside the list; `undefined` = none, or there is no room. */
function usePreview(hits: readonly SearchHit[], at: number): SearchHit | undefined {
  const hasRoom = useHasRoomBeside()
  const isWanted = previewChoice.useChoice() === 'on'
  useKeys(
    useMemo(
      () => [
        {
          keys: 'v',
          label: 'show the conversation beside the list',
          group: 'Search results',
          run: () => previewChoice.choose(previewChoice.read() === 'on' ? 'off' : 'on'),
        },
      ],
      [],
    ),
  )
  // On a session, task or issue the last line stays: what stands beside the list does not jump.
  return hasRoom && isWanted ? hits[Math.min(Math.max(0, at), hits.length - 1)] : undefined
}

/** Classes of the page's parts. With a conversation beside the list each part scrolls by itself. */
function layoutOf(hasThings: boolean, isBeside: boolean) {
  if (!isBeside)
    return {
      grid: `scrolls grid h-full grid-cols-[minmax(0,1fr)] items-start gap-3 p-3 md:p-4 ${hasThings ? 'lg:grid-cols-[minmax(0,1fr)_20rem]' : ''}`,
      column: '',
      beside: '',
      things: 'flex flex-col gap-3',
    }
  return {
    grid: `grid h-full grid-cols-2 grid-rows-[minmax(0,1fr)] gap-3 p-4 ${hasThings ? '2xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_18rem]' : ''}`,
    column: 'scrolls min-h-0 rounded-lg',
    // In three columns where there is room, else what was found by title below the conversation.
    beside: `flex min-h-0 flex-col gap-3 ${hasThings ? '2xl:contents' : ''}`,
    things: hasThings ? 'scrolls flex max-h-2/5 flex-col gap-3 2xl:max-h-none 2xl:min-h-0' : 'hidden',
  }
}

const place = (cursor: ListCursor, at: number) => ({
  isCurrent: at === cursor.at,
  row: at === cursor.at ? cursor.row : null,
  onFocus: () => cursor.set(at),
})

const Note = ({ children }: { children: ReactNode }) => (
  <p className="border-t border-line px-3 py-2 text-xs text-ink-3">{children}</p>
)

/** Titles of the lists, and their texts if nothing was found. */
const LIST_WORDS: Readonly<Record<Exclude<SearchKind, 'words'>, { title: string; none: string }>> = {
  sessions: { title: 'Sessions', none: 'No session title or ID contains this.' },
  tasks: { title: 'Tasks', none: 'No task title, text or ID contains these words.' },
  issues: { title: 'Issues', none: 'No issue title or ID contains this.' },
}

interface ThingsProps {
  name: Thing['kind']
  things: readonly Thing[]
  query: { isPending: boolean; error: unknown }
  /** Index of the first among all results. */
  begin: number
  cursor: ListCursor
  /** Path of the page with all of them; '' if this page is it but there are more; `null` if there are no more. */
  more: string | null
}

function Things({ name, things, query, begin, cursor, more }: ThingsProps) {
  const { title, none } = LIST_WORDS[name]
  return (
    <Panel title={title} id={`found-${name}`} count={things.length}>
      {query.error !== null ? <ErrorCard error={query.error} /> : null}
      {query.isPending ? <Loading what={`Searching ${name}`} /> : null}
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
            'There are more. Add words to narrow the search.'
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

function NoWords({ session }: { session: string | undefined }) {
  return (
    <Empty title="No line contains all of these words.">
      <p>
        The search ignores case and accents, and finds all forms of a word. <b>begin*</b> finds longer words,{' '}
        <b>*part*</b> parts of words in the newest lines.
        {session === undefined ? null : ' Only one session was searched.'}
      </p>
    </Empty>
  )
}
