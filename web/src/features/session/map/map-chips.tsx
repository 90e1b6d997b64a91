import type { MapKind } from '#domain/session/minimap'
import { kindCounts } from './map-marks'
import { KIND_LOOKS, KIND_WORDS, type Minimap } from './use-minimap'

interface MapChipsProps {
  map: Minimap
  /** Goes to the next line of a kind, or to the previous one. */
  onStep(kind: MapKind, by: 1 | -1): void
}

/** What stands out in the conversation, with counts. A press goes to the next one; with Shift to the previous one. */
export function MapChips({ map, onStep }: MapChipsProps) {
  return (
    <nav
      aria-label="What stands out"
      className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-3 py-1 text-2xs max-md:px-2"
    >
      {kindCounts(map).map(([kind, count]) => {
        const [one, many] = KIND_WORDS[kind]
        return (
          <button
            key={kind}
            type="button"
            title={`Next ${one}; with Shift the previous one`}
            onClick={(event) => onStep(kind, event.shiftKey ? -1 : 1)}
            className="inline-flex h-5 shrink-0 items-center gap-1 rounded border border-line px-1.5 text-ink-2 hover:bg-hover hover:text-ink max-md:h-8 max-md:px-2"
          >
            <span aria-hidden className={`size-1.5 rounded-full ${KIND_LOOKS[kind].split(' ')[0]}`} />
            {count} {count === 1 ? one : many}
          </button>
        )
      })}
    </nav>
  )
}
