import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { client } from '../../../lib/api'
import type { SessionPlace } from '../page/session-search'
import { type KnownSession, type SessionDetail, useTimeline } from '../page/use-session-data'
import { detailAt } from './detail-at'
import { idleSpans } from './replay-clock'
import { type Moment, momentOf } from './replay-moment'
import { type Replay, useReplayClock } from './use-replay-clock'

export interface SessionReplay extends Replay {
  /** What the main thread did then; `null` = not known. */
  moment: Moment | null
}

/** The session at a moment that goes on; `null` = it is shown as it is. */
export function useReplay(
  session: KnownSession | null,
  { t }: SessionPlace,
  onMove: (change: Partial<SessionPlace>) => void,
): SessionReplay | null {
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
  const toMoment = useCallback((moment: string) => onMove({ t: moment, at: null }), [onMove])
  const replay = useReplayClock({ isOn, t, start, end, idle, onMove: toMoment })
  return replay === null ? null : { ...replay, moment: momentOf(timeline?.lanes[0]?.segments ?? [], replay.at) }
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
