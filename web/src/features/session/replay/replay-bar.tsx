import { Pause, Play, X } from 'lucide-react'
import { IconButton } from '../../../components/ui/button'
import { Select } from '../../../components/ui/field'
import { exactTime, lengthOf } from '../../../lib/time'
import { SPEEDS, type Speed } from './replay-clock'
import type { Replay } from './use-replay'

interface ReplayBarProps {
  replay: Replay
  onClose(): void
}

/** Goes through the time of a session: by hand, or by itself and faster than it was. */
export function ReplayBar({ replay, onClose }: ReplayBarProps) {
  const { at, start, end, isPlaying, speed } = replay
  const when = exactTime(new Date(at).toISOString())
  return (
    <section
      aria-label="Replay"
      className="flex shrink-0 items-center gap-2 border-t border-line bg-panel px-3 py-1.5 text-xs text-ink-2"
    >
      <IconButton label={isPlaying ? 'Pause the replay' : 'Play'} onClick={() => replay.play(!isPlaying)}>
        {isPlaying ? <Pause aria-hidden size={15} /> : <Play aria-hidden size={15} />}
      </IconButton>
      <input
        type="range"
        aria-label="Time of the session"
        aria-valuetext={when}
        min={start}
        max={Math.max(end, start + 1)}
        step={Math.max(1_000, Math.round((end - start) / 2_000))}
        value={at}
        onChange={(event) => replay.seek(Number(event.target.value))}
        className="min-w-0 flex-1 accent-accent"
      />
      <span className="w-72 shrink-0 truncate text-right tabular-nums max-md:w-20" title={when}>
        <span className="max-md:hidden">{when} · </span>
        {lengthOf(at - start)} of {lengthOf(end - start)}
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
      <IconButton label="End the replay" onClick={onClose}>
        <X aria-hidden size={15} />
      </IconButton>
    </section>
  )
}
