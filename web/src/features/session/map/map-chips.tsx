import { MAP_KINDS, type MapKind } from '#domain/session/minimap'
import { oneOf } from '../../../lib/search'
import { kindCounts } from './map-marks'
import { KIND_LOOKS, KIND_WORDS, type Minimap } from './use-minimap'

interface MapChipsProps {
  map: Minimap
  /** Goes to the next line of a kind, or to the previous one. */
  onStep(kind: MapKind, by: 1 | -1): void
  /** Shows only lines of a kind. */
  onOnly(kind: MapKind | null): void
}

/** What stands out in the conversation, with counts. A press goes to the next one; with Shift to the previous one. */
export function MapChips({ map, onStep, onOnly }: MapChipsProps) {
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
      <OnlySelect map={map} only={null} onOnly={onOnly} />
    </nav>
  )
}

interface OnlySelectProps {
  map: Pick<Minimap, 'marks'>
  only: MapKind | null
  onOnly(kind: MapKind | null): void
}

/** Chooses the kind of lines that are shown. */
export const OnlySelect = ({ map, only, onOnly }: OnlySelectProps) => (
  <select
    aria-label="Shown lines"
    value={only ?? ''}
    onChange={({ target }) => onOnly(oneOf(MAP_KINDS, target.value) ?? null)}
    className="ml-auto h-5 shrink-0 rounded border border-line-strong bg-canvas px-1 text-2xs text-ink-2 max-md:h-8"
  >
    <option value="">All lines</option>
    {kindCounts(map).map(([kind, count]) => (
      <option key={kind} value={kind}>
        Only {KIND_WORDS[kind][1]} ({count})
      </option>
    ))}
  </select>
)
