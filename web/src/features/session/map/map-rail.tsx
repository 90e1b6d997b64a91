import { memo, type PointerEvent } from 'react'
import { drawnMarks, nearestMark } from './map-marks'
import { KIND_LOOKS, type Minimap } from './use-minimap'

interface MapRailProps {
  map: Minimap
  /** Rows in view. */
  seen: { first: number; last: number }
  /** Goes to a row. */
  onGo(number: number): void
}

/** A press this near to a mark goes to the mark. Part of the rail. */
const SNAP = 0.01

/**
 * The whole conversation beside the list, from its first row to its last: what stands out, and the rows in view. A press or a drag goes
 * there. The chips above the list do the same by keys, so that the rail is not in the way of who moves by Tab.
 */
export function MapRail({ map, seen, onGo }: MapRailProps) {
  const { total } = map
  const rowAt = (event: PointerEvent<HTMLElement>): number => {
    const { top, height } = event.currentTarget.getBoundingClientRect()
    const place = Math.min(1, Math.max(0, (event.clientY - top) / Math.max(1, height)))
    const row = Math.min(total - 1, Math.floor(place * total))
    const mark = event.type === 'pointerdown' ? nearestMark(map, row) : null
    return mark !== null && Math.abs(mark - row) <= Math.max(1, total * SNAP) ? mark : row
  }
  return (
    <div
      aria-hidden
      data-testid="map-rail"
      className="absolute inset-y-0 right-0 w-3.5 cursor-pointer touch-none border-l border-line bg-sunken"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        onGo(rowAt(event))
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onGo(rowAt(event))
      }}
    >
      <Marks map={map} />
      <div
        className="absolute inset-x-0 min-h-1 border-y border-ink-2 bg-ink-3/25"
        style={{ top: part(seen.first, total), height: part(seen.last - seen.first + 1, total) }}
      />
    </div>
  )
}

const Marks = memo(function Marks({ map }: { map: Minimap }) {
  return drawnMarks(map).map(({ kind, number, strength }) => (
    <span
      key={`${kind} ${number}`}
      data-kind={kind}
      className={`absolute h-0.5 ${KIND_LOOKS[kind]}`}
      style={{ top: part(number, map.total), opacity: strength }}
    />
  ))
})

const part = (rows: number, total: number): string => `${Math.min(100, (rows / Math.max(1, total)) * 100)}%`
