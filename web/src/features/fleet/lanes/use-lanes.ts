import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type Lane, type LaneMinutes, lanesQuery } from './lane-query'
import { groupLanes, type LaneGroup, wasAtWork } from './lane-words'
import type { Brush } from './use-brush'

/** A row of the list: a machine's head, or one of its lanes. */
export interface LaneRow {
  group: LaneGroup
  lane: Lane | null
}

export type LaneWork = ReturnType<typeof useLanes>

/** What is at work, the time that is looked at, and what of it was brushed. */
export function useLanes() {
  const [minutes, setMinutes] = useState<LaneMinutes>(60)
  const [brush, setBrush] = useState<Brush | null>(null)
  const { data, error, refetch } = useQuery(lanesQuery(minutes))
  const groups = useMemo(() => groupLanes(data?.lanes ?? []), [data])
  const rows = useMemo(
    () =>
      groups.flatMap((group): LaneRow[] => [{ group, lane: null }, ...group.lanes.map((lane) => ({ group, lane }))]),
    [groups],
  )
  const lanes = useMemo(() => groups.flatMap((group) => group.lanes), [groups])
  /** Those at work in the part of the time; `null` = none is chosen. */
  const brushed = useMemo(() => {
    if (brush === null || data === undefined) return null
    const time = { since: Date.parse(data.since), partMs: data.partMs }
    return rows
      .slice(brush.first, brush.last + 1)
      .flatMap(({ lane }) => (lane !== null && wasAtWork(lane, time, brush) ? [lane] : []))
  }, [brush, rows, data])
  return { minutes, setMinutes, brush, setBrush, data, error, refetch, rows, lanes, brushed }
}
