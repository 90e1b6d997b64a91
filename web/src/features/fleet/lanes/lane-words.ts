import { runningStatus } from '#domain/overview/shown-status'
import { counted, dollars } from '../../../lib/format'
import { sessionPath, taskPath } from '../../../lib/links'
import { lengthOf } from '../../../lib/time'
import type { Lane } from './lane-query'

export const statusOf = (lane: Pick<Lane, 'taskStatus' | 'sessionStatus'>) =>
  runningStatus(lane.taskStatus, lane.sessionStatus)

/** Whether a person has to do something before it goes on. */
export const needsYou = (lane: Lane): boolean => ['waiting', 'stuck', 'lost', 'failed'].includes(statusOf(lane))

export const keyOfLane = ({ taskId, sessionId }: Pick<Lane, 'taskId' | 'sessionId'>): string =>
  taskId ?? sessionId ?? ''

export const lanePath = ({ taskId, sessionId }: Lane): string =>
  taskId !== null ? taskPath(taskId) : sessionPath(sessionId ?? '')

/** What is at work on one machine. */
export interface LaneGroup {
  /** `null` = it is not known yet where. */
  host: string | null
  lanes: Lane[]
}

/** By machine, those with most to do for a person first; within one what needs a person first. Else in the order of names and of lanes. */
export function groupLanes(lanes: readonly Lane[]): LaneGroup[] {
  const groups = new Map<string | null, Lane[]>()
  for (const lane of lanes) groups.set(lane.host, [...(groups.get(lane.host) ?? []), lane])
  const needs = ({ lanes: own }: LaneGroup) => own.filter(needsYou).length
  return [...groups]
    .map(
      ([host, own]): LaneGroup => ({
        host,
        // In the order of their beginning, so that no row moves because an agent said something.
        lanes: own.sort(
          (a, b) =>
            Number(needsYou(b)) - Number(needsYou(a)) ||
            (a.startedAt ?? '').localeCompare(b.startedAt ?? '') ||
            keyOfLane(a).localeCompare(keyOfLane(b)),
        ),
      }),
    )
    .sort((a, b) => needs(b) - needs(a) || (a.host ?? '\uffff').localeCompare(b.host ?? '\uffff'))
}

/** `4 agents, 1 needs you, $3.20 in the last hour`. */
export function lanesInWords(lanes: readonly Lane[]): string {
  const needy = lanes.filter(needsYou).length
  const priced = lanes.flatMap(({ lastHour }) => lastHour.costUsd ?? [])
  const usd = priced.reduce((sum, one) => sum + one, 0)
  const isEstimate = lanes.some(({ lastHour }) => lastHour.isEstimate)
  return [
    counted(lanes.length, 'agent'),
    ...(needy === 0 ? [] : [`${needy} ${needy === 1 ? 'needs' : 'need'} you`]),
    ...(priced.length === 0 ? [] : [`${dollars(usd, isEstimate)} in the last hour`]),
  ].join(', ')
}

/** A part of the time, in milliseconds since the epoch. */
export interface Span {
  from: number
  to: number
}

/** When it waited within the time, in milliseconds. */
export const waitsOf = (lane: Lane, until: number): Span[] =>
  lane.waits.map(({ from, to }) => ({ from: Date.parse(from), to: to === null ? until : Date.parse(to) }))

/** Whether it was busy or waited in a part of the time. */
export function wasAtWork(
  lane: Lane,
  { since, partMs }: { since: number; partMs: number },
  { from, to }: Span,
): boolean {
  const first = Math.max(0, Math.floor((from - since) / partMs))
  const last = Math.floor((to - since) / partMs)
  return (
    lane.lines.slice(first, last + 1).some((count) => count > 0) ||
    waitsOf(lane, Number.POSITIVE_INFINITY).some((wait) => wait.from <= to && wait.to >= from)
  )
}

/** What its picture says: `busy for 12 min of the last 60 min, waited for an answer for 3 min`. */
export function laneInWords(
  lane: Lane,
  { since, partMs, now }: { since: number; partMs: number; now: number },
): string {
  const busy = lane.lines.filter((count) => count > 0).length * partMs
  const waited = waitsOf(lane, now).reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, since)), 0)
  const words = `busy for ${lengthOf(busy)} of the last ${lengthOf(partMs * lane.lines.length)}`
  return waited === 0 ? words : `${words}, waited for an answer for ${lengthOf(waited)}`
}
