import { useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useCallback, useMemo, useRef } from 'react'
import { PageHead } from '../components/page-head'
import { Results } from '../components/search/results'
import { SearchField } from '../components/search/search-field'
import { Choices } from '../components/task/choices'
import { Button } from '../components/ui/button'
import { Empty } from '../components/ui/empty'
import { useKeys } from '../lib/keys'
import { useGo } from '../lib/links'
import type { Search } from '../lib/search'
import { parseSearchPage, type SearchKind, type SearchPageSearch, searchPath } from '../lib/search-page'

const KINDS: readonly (readonly [SearchKind | undefined, string])[] = [
  [undefined, 'everything'],
  ['words', 'words'],
  ['sessions', 'sessions'],
  ['tasks', 'tasks'],
  ['issues', 'issues'],
]

/** Everything that holds some words: conversations, and sessions, tasks and issues by their titles and ids. */
export function SearchPage() {
  const words: Search = useSearch({ strict: false })
  const search = useMemo(() => parseSearchPage(words), [words])
  const go = useGo()
  const field = useRef<HTMLInputElement>(null)
  const toList = useRef(() => {})
  const { q, kind, session } = search
  const show = (change: { [Name in keyof SearchPageSearch]?: SearchPageSearch[Name] | undefined }) =>
    go(searchPath({ ...search, ...change } as SearchPageSearch), { replace: true })
  const onCursor = useCallback((focus: () => void) => {
    toList.current = focus
  }, [])
  useKeys(
    useMemo(
      () => [{ keys: 'f', label: 'to the search field', group: 'What was found', run: () => field.current?.select() }],
      [],
    ),
  )
  return (
    <>
      <PageHead title={q === undefined ? 'Search' : `${q.slice(0, 60)} · Search`} name="Search" />
      <search className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2 max-md:px-3">
        <div className="flex min-w-60 flex-1">
          <SearchField
            value={q ?? ''}
            field={field}
            onType={(text) => show({ q: text.trim() === '' ? undefined : text })}
            onDown={() => toList.current()}
          />
        </div>
        {session === undefined ? (
          <Choices label="What to look for" choices={KINDS} chosen={kind} onChoose={(next) => show({ kind: next })} />
        ) : (
          <Button onClick={() => show({ session: undefined })} aria-label={`Not only in session ${session}`}>
            <span className="text-ink-3">only in session</span>
            <span className="max-w-40 truncate font-mono text-2xs">{session}</span>
            <X aria-hidden size={12} />
          </Button>
        )}
      </search>
      <div className="scrolls min-h-0 flex-1 p-3 md:p-4">
        {q === undefined ? <Nothing /> : <Results search={search} onCursor={onCursor} />}
      </div>
    </>
  )
}

function Nothing() {
  return (
    <Empty title="What are you looking for?">
      <p>
        Words of prompts and answers, and of what tools were called with; titles and ids of sessions, tasks and issues.
        All words have to be there; <b>“in quotes”</b> they stand beside one another, and <b>begin*</b> finds what
        begins so.
      </p>
    </Empty>
  )
}
