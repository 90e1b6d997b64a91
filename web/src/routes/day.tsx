import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ownTimeZone, ZoneDays } from '#domain/cost/zone-days'
import { PageHead } from '../components/page-head'
import { DayFilters } from '../features/day/day-filters'
import { type DaySearch, dayPath, parseDaySearch } from '../features/day/day-search'
import { DayView } from '../features/day/day-view'
import { useGo } from '../lib/links'
import type { Search } from '../lib/search'

/** A whole day of all sessions, as it was at any moment of it. */
export function DayPage() {
  const words: Search = useSearch({ strict: false })
  const search = useMemo(() => parseDaySearch(words), [words])
  const go = useGo()
  const days = useMemo(() => new ZoneDays(ownTimeZone()), [])
  const today = days.dayAt(Date.now())
  const day = search.day ?? today
  const show = (next: DaySearch) => go(dayPath(next), { replace: next.day === search.day })
  return (
    <>
      <PageHead title={search.day === undefined ? 'Day' : `Day ${search.day}`} name="Day" below={inWords(day)} />
      <DayFilters search={search} day={day} today={today} onChange={show} />
      <DayView key={day} search={search} day={day} days={days} isToday={day === today} />
    </>
  )
}

const IN_WORDS = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' })
const inWords = (day: string): string => `${IN_WORDS.format(Date.parse(`${day}T00:00:00Z`))} · ${ownTimeZone()}`
