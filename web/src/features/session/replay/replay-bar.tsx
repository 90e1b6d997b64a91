import { Pause, Play, X } from 'lucide-react'
import { type ReactNode, useMemo, useRef } from 'react'
import { MINUTE_MS } from '#domain/time-units'
import { IconButton } from '../../../components/ui/button'
import { Select } from '../../../components/ui/field'
import { isOnControl, type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { exactTime, lengthOf } from '../../../lib/time'
import { SEGMENT_WORDS } from '../page/segment-words'
import { SPEEDS, type Speed } from './replay-clock'
import type { Moment } from './replay-moment'
import type { Replay } from './use-replay-clock'

interface ReplayBarProps {
  replay: Replay
  /** What the slider moves through: its name says it. */
  what: 'session' | 'day'
  /** What was going on then. */
  moment?: Moment | null
  /** Above the slider, as wide as it is. */
  above?: ReactNode
  onClose?(): void
}

/** Goes through the time of a session or a day: by hand, or by itself and faster than it was. */
export function ReplayBar({ replay, what, moment = null, above, onClose }: ReplayBarProps) {
  const { at, start, end, isPlaying, speed } = replay
  const when = exactTime(new Date(at).toISOString())
  useReplayKeys(replay)
  return (
    <section
      aria-label="Replay"
      className="flex shrink-0 items-end gap-2 border-t border-line bg-panel px-3 py-1.5 text-xs text-ink-2 max-lg:flex-wrap"
    >
      <IconButton label={isPlaying ? 'Pause the replay' : 'Play'} onClick={() => replay.play(!isPlaying)}>
        {isPlaying ? <Pause aria-hidden size={15} /> : <Play aria-hidden size={15} />}
      </IconButton>
      <div
        className={`min-w-0 flex-1 max-lg:order-first max-lg:basis-full ${above === undefined ? 'self-center' : ''}`}
      >
        {above}
        <input
          type="range"
          aria-label={`Time of the ${what}`}
          aria-valuetext={when}
          min={start}
          max={Math.max(end, start + 1)}
          step={Math.max(1_000, Math.round((end - start) / 2_000))}
          value={at}
          onChange={(event) => replay.seek(Number(event.target.value))}
          className="m-0 block w-full accent-accent"
        />
      </div>
      {moment === null ? null : (
        <span
          data-testid="replay-moment"
          className={`w-48 shrink-0 self-center truncate max-lg:w-auto max-lg:min-w-0 max-lg:flex-1 max-lg:shrink ${moment.kind === 'waiting' ? 'font-medium text-need' : ''}`}
        >
          {SEGMENT_WORDS[moment.kind]}
          {at - moment.since < 1_000 ? '' : ` for ${lengthOf(at - moment.since)}`}
        </span>
      )}
      <span
        className={`shrink-0 truncate text-right tabular-nums ${what === 'day' ? 'w-40 py-1.5 max-lg:mr-auto max-lg:text-left' : 'w-72 self-center max-md:w-20'}`}
        title={when}
      >
        {what === 'day' ? (
          when
        ) : (
          <>
            <span className="max-md:hidden">{when} · </span>
            {lengthOf(at - start)} of {lengthOf(end - start)}
          </>
        )}
      </span>
      <Select
        label="Speed"
        isLabelHidden
        value={speed}
        onChange={(event) => replay.setSpeed(Number(event.target.value) as Speed)}
      >
        {SPEEDS.map((each) => (
          <option key={each} value={each}>
            {each}×
          </option>
        ))}
      </Select>
      {onClose === undefined ? null : (
        <IconButton label="End the replay" onClick={onClose}>
          <X aria-hidden size={15} />
        </IconButton>
      )}
    </section>
  )
}

function useReplayKeys(replay: Replay): void {
  // Bound once, though the moment goes on several times a second.
  const now = useRef(replay)
  now.current = replay
  useKeys(
    useMemo((): KeyBinding[] => {
      const group = 'Replay'
      const go = (by: number) => () => {
        const { at, start, end, seek } = now.current
        seek(Math.min(end, Math.max(start, at + by)))
      }
      const other = (by: number) => () => {
        const { speed, setSpeed } = now.current
        setSpeed(SPEEDS[SPEEDS.indexOf(speed) + by] ?? speed)
      }
      const play = (event: KeyboardEvent) => !isOnControl(event) && now.current.play(!now.current.isPlaying)
      return [
        { keys: 'Space', label: 'play or pause', group, run: play },
        { keys: 'ArrowLeft', label: 'a minute back', group, run: go(-MINUTE_MS) },
        { keys: 'ArrowRight', label: 'a minute on', group, run: go(MINUTE_MS) },
        { keys: '+', label: 'faster', group, run: other(1) },
        { keys: '-', label: 'slower', group, run: other(-1) },
      ]
    }, []),
  )
}
