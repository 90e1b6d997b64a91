import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { client } from '../../../lib/api'
import type { SessionPlace } from '../page/session-search'
import { type KnownSession, type SessionDetail, useTimeline } from '../page/use-session-data'
import { detailAt } from './detail-at'
import { idleSpans, nextTime, type Speed } from './replay-clock'

/** Milliseconds between two steps. Each may ask the server for the rows of its moment. */
const STEP_MS = 400
/** Times within one second show the same. */
const SECOND_MS = 1_000

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

/** The session at a moment that goes on; `null` = it is shown as it is. */
export function useReplay(
  session: KnownSession | null,
  { t }: SessionPlace,
  onMove: (change: Partial<SessionPlace>) => void,
): Replay | null {
  const [at, setAt] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(10)
  const start = Date.parse(session?.startedAt ?? '')
  const end = Date.parse(session?.lastEventAt ?? '')
  const isOn = t !== null && session !== null && !Number.isNaN(start) && !Number.isNaN(end)
  const timeline = useTimeline(session?.id ?? null, isOn).data
  const idle = useMemo(
    () =>
      idleSpans(
        (timeline?.lanes ?? []).flatMap(({ segments }) =>
          segments
            .filter(({ kind }) => kind !== 'idle')
            .map(({ from, to }) => [Date.parse(from), Date.parse(to)] as const),
        ),
      ),
    [timeline],
  )
  // The address leads: a link, or going back.
  const written = useRef<string | null>(null)
  useEffect(() => {
    if (t === null) setPlaying(false)
    if (t !== null && t !== written.current) setAt(Date.parse(t))
    written.current = t
  }, [t])
  const note = useCallback(
    (moment: number) => {
      written.current = new Date(moment).toISOString()
      onMove({ t: written.current, at: null })
    },
    [onMove],
  )
  const now = useRef(at)
  now.current = at
  useEffect(() => {
    if (!isPlaying || !isOn) return
    const timer = setInterval(() => {
      const next = nextTime(now.current, STEP_MS, speed, idle, end)
      setAt(next)
      if (next < end) return
      setPlaying(false)
      note(next)
    }, STEP_MS)
    return () => clearInterval(timer)
  }, [isPlaying, isOn, speed, idle, end, note])
  if (!isOn) return null
  const shown = Math.min(end, Math.max(start, at))
  return {
    at: shown,
    start,
    end,
    isPlaying,
    speed,
    until: new Date(shown >= end ? end : Math.ceil(shown / SECOND_MS) * SECOND_MS).toISOString(),
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

/** What stands beside the conversation, as it was at the moment of the replay. */
export function useDetailAt(detail: SessionDetail | undefined, replay: Replay | null): SessionDetail | undefined {
  const id = detail?.session?.id ?? null
  const { data } = useQuery({
    queryKey: ['session', id, 'todo-changes'],
    queryFn: ({ signal }) => client.todos.changes(id ?? '', { signal }),
    enabled: replay !== null && id !== null,
  })
  const at = replay === null ? null : Date.parse(replay.until)
  return useMemo(
    () => (detail === undefined || at === null ? detail : detailAt(detail, data?.todos ?? [], at)),
    [detail, data, at],
  )
}
