import { useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useRestWhenReplaced } from '../../../lib/keys/key-rest'
import { useListCursor } from '../../../lib/keys/list-cursor'
import { useGo } from '../../../lib/links'
import { ResumeDialog } from '../../session/page/resume-dialog'
import { homePath, parseHomeSearch } from '../home-search'
import type { Need } from '../needs'
import { GroupRow } from './group-row'
import { type CauseCounts, type InboxRow, inboxRows, withWhole } from './inbox-rows'
import { pathOf } from './need-path'
import { NeedRow } from './need-row'
import { type Inbox, useInbox, useInboxKeys } from './use-inbox'
import { useWholeGroups } from './use-whole-groups'

interface NeedListProps {
  needs: readonly Need[]
  counts: CauseCounts
  /** Needs that were put off, below the others. */
  snoozed: readonly Need[]
}

/**
 * The list of needs, with the details of the current one. The address names the current row, so that `.` and notifications can link to it.
 */
export function NeedList({ needs, counts, snoozed }: NeedListProps) {
  const search = parseHomeSearch(useSearch({ strict: false }))
  const go = useGo()
  const inbox = useInbox()
  const { selected, acts, pending, leave, endPending, resuming, endResuming } = inbox
  const [currentGroup, setCurrentGroup] = useState<string | null>(null)
  const grouped = useGroupedRows({ needs, counts }, inbox, currentGroup)
  const rows = useMemo(
    () => [
      ...grouped,
      ...snoozed.map((need) => ({ kind: 'need' as const, id: need.id, needs: [need], isInGroup: false })),
    ],
    [grouped, snoozed],
  )
  const named = rows.findIndex(({ id }) => id === search.need)
  // When the named row is gone, the next one takes its place.
  const was = useRef(0)
  if (named >= 0) was.current = named
  const point = useCallback(
    (id: string) => {
      const { need, agent } = parseHomeSearch(searchOfAddress())
      if (id !== need) go(homePath({ need: id, ...(agent !== undefined && { agent }) }), { replace: true })
    },
    [go],
  )
  const cursor = useListCursor({
    count: rows.length,
    at: was.current,
    onMove: (at) => {
      const row = rows[at]
      if (row !== undefined) point(row.id)
    },
    group: 'Needs you',
    onOpen: (at) => {
      const row = rows[at]
      if (row?.kind === 'group') acts.toggle(row.id)
      else if (row !== undefined) for (const need of row.needs) go(pathOf(need))
    },
  })
  const current = rows[cursor.at]
  useInboxKeys({
    rows,
    current,
    inbox,
    step: (by) => {
      const next = rows[Math.max(0, Math.min(rows.length - 1, cursor.at + by))]
      if (next !== undefined) point(next.id)
    },
  })
  useRestWhenReplaced(current?.id, named >= 0)
  // What waits for a second key is about rows that are there.
  const isAsked = pending?.needs.every(({ id }) => rows.some((row) => row.needs.some((need) => need.id === id))) ?? true
  useEffect(() => {
    if (!isAsked) endPending()
  }, [isAsked, endPending])
  // It is about what the person looks at: it ends when they look at something else.
  const currentId = current?.id
  useEffect(() => setCurrentGroup(current?.kind === 'group' ? current.id : null), [current])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each current row
  useEffect(leave, [currentId])
  // `.`, a notification or an address leads to the row.
  const isNamed = named >= 0
  const { row: element } = cursor
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each named need
  useEffect(() => {
    const found = element.current
    if (!isNamed || found === null || found.contains(document.activeElement)) return
    found.focus({ preventScroll: true })
    found.scrollIntoView({ block: 'nearest' })
  }, [search.need, isNamed])
  const actsHere = useMemo(() => ({ ...acts, leave: endPending }), [acts, endPending])
  return (
    <>
      <ul>
        {rows.map((row, at) => {
          const isCurrent = at === cursor.at
          const common = {
            isCurrent,
            isSelected: selected.has(row.id),
            element: isCurrent ? element : null,
            pending: isCurrent ? pending : null,
            acts: actsHere,
            onFocus: point,
          }
          if (row.kind === 'group') return <GroupRow key={row.id} row={row} {...common} />
          // The need alone, which stays the same object: a step of the cursor renders two rows.
          return row.needs.map((need) => <NeedRow key={row.id} need={need} isInGroup={row.isInGroup} {...common} />)
        })}
      </ul>
      {resuming?.sessionId == null ? null : (
        <ResumeDialog sessionId={resuming.sessionId} command={resuming.command} onClose={endResuming} />
      )}
    </>
  )
}

/** The needs by their causes. All needs of a group are loaded once a person looked at it, selected it or unfolded it. */
function useGroupedRows(
  { needs, counts }: Pick<NeedListProps, 'needs' | 'counts'>,
  { open, selected }: Inbox,
  currentGroup: string | null,
): readonly InboxRow[] {
  const { need: named, agent } = parseHomeSearch(useSearch({ strict: false }))
  const partial = useMemo(() => inboxRows(needs, counts, open, named), [needs, counts, open, named])
  const wanted = partial.flatMap((row) =>
    row.kind === 'group' && row.isPartial && (row.id === currentGroup || open.has(row.id) || selected.has(row.id))
      ? [row.cause]
      : [],
  )
  const { loaded, settled } = useWholeGroups(wanted, agent)
  return useMemo(() => {
    if (settled.size === 0) return partial
    const whole = [...loaded.values()].reduce<readonly Need[]>((all, own) => withWhole(all, own), needs)
    return inboxRows(whole, counts, open, named).map((row) =>
      row.kind === 'group' && settled.has(row.cause) ? { ...row, isPartial: false } : row,
    )
  }, [partial, needs, counts, open, named, loaded, settled])
}

/** Read when it is needed: the list must not be rendered anew for a function that the address changes. */
const searchOfAddress = () => Object.fromEntries(new URLSearchParams(location.search))
