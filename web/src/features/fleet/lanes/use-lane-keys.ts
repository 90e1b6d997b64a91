import { useMemo, useRef } from 'react'
import { useKeys } from '../../../lib/keys/keys'
import type { ListCursor } from '../../../lib/keys/list-cursor'
import { longer, shorter } from './lane-query'
import { needsYou } from './lane-words'
import type { LaneWork } from './use-lanes'

/** Keys of the lanes, beside those of the list. */
export function useLaneKeys(work: LaneWork, cursor: ListCursor): void {
  const latest = useRef({ work, cursor })
  latest.current = { work, cursor }
  useKeys(
    useMemo(() => {
      const bind = (keys: string, label: string, run: (work: LaneWork, cursor: ListCursor) => unknown) => ({
        ...{ keys, label, group: 'Fleet' },
        run: () => run(latest.current.work, latest.current.cursor),
      })
      const next = bind('n', 'next agent that needs you', ({ lanes }, { at, go }) => {
        const after = lanes.map((_, by) => (at + 1 + by) % lanes.length)
        const goal = after.find((one) => lanes[one] !== undefined && needsYou(lanes[one]))
        if (goal === undefined) return false
        go(goal)
        return true
      })
      return [
        { ...next, isPossible: () => latest.current.work.lanes.some(needsYou) },
        bind('+', 'shorter time', ({ minutes, setMinutes }) => setMinutes(shorter(minutes))),
        bind('-', 'longer time', ({ minutes, setMinutes }) => setMinutes(longer(minutes))),
        bind('Escape', 'show all agents again', ({ brush, setBrush }) => (brush === null ? false : setBrush(null))),
      ]
    }, []),
  )
}
