import { useEffect, useRef, useState } from 'react'
import { SECOND_MS } from '#domain/time-units'
import { type IdleSpan, nextTime, type Speed } from './replay-clock'

/** Milliseconds between two steps. Each may ask the server for what was there at its moment. */
const STEP_MS = 400

export interface Replay {
  /** Milliseconds since the epoch. */
  at: number
  start: number
  end: number
  isPlaying: boolean
  speed: Speed
  /** For a request: the moment, to the second. */
  until: string
  setSpeed(speed: Speed): void
  play(isOn: boolean): void
  seek(at: number): void
}

interface Clock {
  isOn: boolean
  /** The moment that the address names, ISO 8601; `null` = none. */
  t: string | null
  /** Milliseconds. */
  start: number
  end: number
  /** What is jumped over. */
  idle: readonly IdleSpan[]
  /** Writes the moment into the address. Memoize it. */
  onMove(t: string): void
}

/** A moment that goes on, or stands where a person put it. `null` = it is off. */
export function useReplayClock({ isOn, t, start, end, idle, onMove }: Clock): Replay | null {
  const [at, setAt] = useState(() => (t === null ? 0 : Date.parse(t)))
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(10)
  // The address leads: a link, or going back.
  const written = useRef<string | null>(null)
  useEffect(() => {
    if (t === null) setPlaying(false)
    if (t !== null && t !== written.current) setAt(Date.parse(t))
    written.current = t
  }, [t])
  const note = (moment: number) => {
    written.current = new Date(moment).toISOString()
    onMove(written.current)
  }
  const now = useRef(at)
  now.current = at
  const tell = useRef(note)
  tell.current = note
  useEffect(() => {
    if (!isPlaying || !isOn) return
    const timer = setInterval(() => {
      const next = nextTime(Math.max(start, now.current), STEP_MS, speed, idle, end)
      setAt(next)
      if (next < end) return
      setPlaying(false)
      tell.current(next)
    }, STEP_MS)
    return () => clearInterval(timer)
  }, [isPlaying, isOn, speed, idle, start, end])
  if (!isOn) return null
  const shown = Math.min(end, Math.max(start, at))
  return {
    at: shown,
    start,
    end,
    isPlaying,
    speed,
    until: new Date(shown >= end ? end : Math.min(end, Math.ceil(shown / SECOND_MS) * SECOND_MS)).toISOString(),
    setSpeed,
    play(on) {
      // At the end it begins again.
      if (on && shown >= end) setAt(start)
      setPlaying(on)
      if (!on) note(shown)
    },
    seek(moment) {
      setAt(moment)
      if (!isPlaying) note(moment)
    },
  }
}
