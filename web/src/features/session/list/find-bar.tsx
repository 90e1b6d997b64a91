import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { SearchHit } from '#api/contract/wire'
import { IconButton } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { TYPING_PAUSE_MS } from '../../../lib/typed'
import { visibleText } from '../../../lib/visible-text'
import { useSession } from '../page/session-context'
import { EMPTY_FIND, type SessionPlace } from '../page/session-search'
import { snippetParts } from '../rows/session-texts'
import { foundForms, useFoundMarks } from './found-marks'

/** Hits shown at most. */
const MAX_HITS = 50

interface FindBarProps {
  text: string
  /** The page was opened at a hit: the conversation keeps the focus, and the list stays closed. */
  isArriving: boolean
  onMove(change: Partial<SessionPlace>): void
}

/** Searches the lines of all agents of the session, and goes to the hits. */
export function FindBar({ text, isArriving, onMove }: FindBarProps) {
  const [typed, setTyped] = useState(text)
  const [isListed, setListed] = useState(!isArriving)
  const [at, setAt] = useState(0)
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const { q, hits, found } = useHits(text)
  const current = hits[Math.min(at, hits.length - 1)]

  useFoundMarks(useMemo(() => foundForms(hits), [hits]))

  const wasArriving = useRef(isArriving)
  // The person opened the search to type.
  useEffect(() => {
    if (!wasArriving.current) field.current?.focus()
  }, [])
  useEffect(() => {
    if (typed.trim() === text) return
    const timer = setTimeout(() => onMove({ find: typed.trim() || EMPTY_FIND }), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, text, onMove])
  useEffect(() => {
    list.current?.querySelector(`[data-hit="${at}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const visit = (hit: SearchHit) => {
    setListed(false)
    onMove({ at: hit.event.id, agent: hit.event.subagentId, view: 'conversation', find: typed.trim() || EMPTY_FIND })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && hits.length > 0) {
      event.preventDefault()
      setListed(true)
      setAt((now) => (Math.min(now, hits.length - 1) + step + hits.length) % hits.length)
    }
    if (event.key === 'Enter' && current !== undefined) visit(current)
    if (event.key === 'Escape') onMove({ find: null })
  }

  return (
    <search className="relative z-10 border-b border-line">
      <div className="flex h-10 items-center gap-2 px-4 max-md:px-3">
        <Search aria-hidden size={14} className="text-ink-3" />
        <input
          role="combobox"
          aria-label="Find in this session"
          aria-expanded={isListed && hits.length > 0}
          aria-controls={listId}
          aria-activedescendant={isListed && current !== undefined ? `${listId}-${hits.indexOf(current)}` : undefined}
          ref={field}
          autoComplete="off"
          spellCheck={false}
          placeholder="Words, “a phrase”, begin*"
          value={typed}
          onFocus={() => setListed(true)}
          onChange={(event) => {
            setTyped(event.target.value)
            setListed(true)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          className="h-8 min-w-0 flex-1 bg-transparent text-sm outline-none placeholder:text-ink-3"
        />
        <Outcome
          isAnswered={q !== '' && found.data !== undefined}
          count={hits.length}
          isCut={found.data?.isTruncated === true}
        />
        <IconButton label="Close" onClick={() => onMove({ find: null })}>
          <X aria-hidden size={14} />
        </IconButton>
      </div>
      <ErrorLine error={found.error} />
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label="Search results"
        hidden={!isListed || hits.length === 0}
        className="absolute inset-x-0 top-full max-h-[50vh] overflow-y-auto border-b border-line bg-panel shadow-pop"
      >
        {hits.map((hit, index) => (
          <Hit
            key={hit.event.id}
            id={`${listId}-${index}`}
            index={index}
            hit={hit}
            isCurrent={hit === current}
            onVisit={() => visit(hit)}
          />
        ))}
      </div>
    </search>
  )
}

/** How many hits there are, announced to screen readers. */
function Outcome({ isAnswered, count, isCut }: { isAnswered: boolean; count: number; isCut: boolean }) {
  const more = isCut || count === MAX_HITS ? ' or more' : ''
  return (
    <span role="status" className="text-xs text-ink-3">
      {!isAnswered ? '' : count === 0 ? 'Nothing found.' : `${count}${more} found`}
    </span>
  )
}

const NO_HITS: readonly SearchHit[] = []

/** Searches the session. */
function useHits(text: string) {
  const { id } = useSession()
  const q = text.trim()
  const found = useQuery({
    queryKey: ['find', id, q],
    queryFn: ({ signal }) => client.search({ q, sessionId: id, limit: MAX_HITS }, { signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const hits = q === '' ? NO_HITS : (found.data?.hits ?? NO_HITS)
  return { q, hits, found }
}

interface HitProps {
  id: string
  index: number
  hit: SearchHit
  isCurrent: boolean
  onVisit(): void
}

function Hit({ id, index, hit, isCurrent, onVisit }: HitProps) {
  const whose = hit.node.subagentId === null ? null : (hit.node.description ?? hit.node.type ?? 'sub-agent')
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field above
    <div
      id={id}
      data-testid="session-hit"
      data-hit={index}
      role="option"
      aria-selected={isCurrent}
      onClick={onVisit}
      className={`flex min-h-8 cursor-pointer items-center gap-3 px-4 py-1 text-sm max-md:flex-wrap max-md:gap-y-0 max-md:px-3 ${isCurrent ? 'row-current' : 'hover:bg-hover'}`}
    >
      <span className="w-16 shrink-0 text-xs text-ink-3">{hit.event.type.replace('_', ' ')}</span>
      <span dir="auto" className="line-clamp-2 min-w-0 flex-1 max-md:order-first max-md:basis-full">
        {snippetParts(hit.snippet).map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a snippet have no other name
          <span key={at} className={part.isMatch ? 'font-semibold tint-need' : ''}>
            {part.text}
          </span>
        ))}
      </span>
      {whose === null ? null : <span className="max-w-40 truncate text-xs text-ink-3">{visibleText(whose)}</span>}
      <When at={hit.event.at} className="text-xs text-ink-3" />
    </div>
  )
}
