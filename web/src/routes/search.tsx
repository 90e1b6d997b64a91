import { useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useCallback, useMemo, useRef } from 'react'
import { AgentSelect } from '../components/agent-select'
import { Link } from '../components/link'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Empty } from '../components/ui/empty'
import { Results } from '../features/search/results'
import { SearchField } from '../features/search/search-field'
import { parseSearchPage, type SearchKind, type SearchPageSearch, searchPath } from '../features/search/search-page'
import { Choices } from '../features/task/form/choices'
import { useKeys } from '../lib/keys/keys'
import { useGo } from '../lib/links'
import type { Search } from '../lib/search'

/** Choices of what to search; undefined = everything. */
const KINDS: readonly (readonly [SearchKind | undefined, string])[] = [
  [undefined, 'everything'],
  ['words', 'conversations'],
  ['sessions', 'sessions'],
  ['tasks', 'tasks'],
  ['issues', 'issues'],
]

/** Searches conversations, and sessions, tasks and issues by title and ID. */
export function SearchPage() {
  const words: Search = useSearch({ strict: false })
  const search = useMemo(() => parseSearchPage(words), [words])
  const go = useGo()
  const field = useRef<HTMLInputElement>(null)
  const toList = useRef(() => {})
  const { q, kind, session, agent } = search
  const show = (change: { [Name in keyof SearchPageSearch]?: SearchPageSearch[Name] | undefined }) =>
    go(searchPath({ ...search, ...change } as SearchPageSearch), { replace: true })
  const onCursor = useCallback((focus: () => void) => {
    toList.current = focus
  }, [])
  useKeys(
    useMemo(
      () => [
        { keys: 'f', label: 'go to the search field', group: 'Search results', run: () => field.current?.select() },
      ],
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
          <Choices label="Search in" choices={KINDS} chosen={kind} onChoose={(next) => show({ kind: next })} />
        ) : (
          <Button onClick={() => show({ session: undefined })} aria-label={`Remove filter: session ${session}`}>
            <span className="text-ink-3">session</span>
            <span className="max-w-40 truncate font-mono text-2xs">{session}</span>
            <X aria-hidden size={12} />
          </Button>
        )}
        {session === undefined ? <AgentSelect value={agent} onChange={(next) => show({ agent: next })} /> : null}
      </search>
      <div className="min-h-0 flex-1">
        {q === undefined ? <Nothing /> : <Results search={search} onCursor={onCursor} />}
      </div>
    </>
  )
}

/** What each does when it is pressed. */
const EXAMPLES: readonly (readonly [q: string, what: string])[] = [
  ['is:error after:1d', 'what failed since yesterday'],
  ['is:prompt after:7d', 'what was asked this week'],
  ['tool:Bash is:error', 'commands that failed'],
  ['tool:Edit after:1d', 'edits since yesterday'],
  ['agent:codex', 'one agent CLI'],
  ['before:30d', 'older than 30 days'],
]

function Nothing() {
  return (
    <Empty title="What are you looking for?">
      <p>
        Search prompts, answers, tool inputs and tool outputs, and the titles and IDs of sessions, tasks and issues. A
        result contains all words, in any of their forms. Use <b>“quotes”</b> for a phrase, <b>begin*</b> for words that
        start with “begin”, and <b>*part*</b> for parts of words. Filters limit it, alone or beside words:
      </p>
      <ul className="flex flex-col gap-1 text-sm">
        {EXAMPLES.map(([q, what]) => (
          <li key={q} className="flex min-h-6 items-center gap-2 max-md:min-h-9">
            <Link to={searchPath({ q })} className="font-mono text-xs text-accent underline">
              {q}
            </Link>
            <span className="text-xs text-ink-3">{what}</span>
          </li>
        ))}
      </ul>
    </Empty>
  )
}
