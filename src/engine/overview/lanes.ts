import { costIn, NO_COST } from '../../domain/cost/price'
import { LANE_PARTS, type Lane, type Lanes } from '../../domain/overview/lane'
import type { StatusSettings } from '../../domain/overview/shown-status'
import { HOUR_MS, MINUTE_MS } from '../../domain/time-units'
import type { OverviewSource } from './overview'
import { readScene } from './scene'
import { runningOf, showRunning } from './show-running'
import { maybeIso } from './words'

/** What is at work as the overview has it, with its history. */
export async function readLanes(
  { overview: reads }: Pick<OverviewSource, 'overview'>,
  now: number,
  settings: StatusSettings,
  { minutes, limit }: { minutes: number; limit: number },
): Promise<Lanes> {
  const partMs = (minutes * MINUTE_MS) / LANE_PARTS
  // Parts stand on the clock, so that from one answer to the next their counts only grow.
  const since = (Math.floor(now / partMs) - LANE_PARTS + 1) * partMs
  const scene = await readScene(reads, now, settings, now)
  const running = runningOf(scene)
  const drafts = running.slice(0, limit)
  const sessions = drafts.flatMap(({ session }) => session?.key ?? [])
  const tasks = drafts.flatMap(({ task }) => task?.key ?? [])
  const [shown, lines, waits, costs] = await Promise.all([
    showRunning(reads, scene, drafts, reads.taskCosts(tasks)),
    reads.lines(sessions, since, partMs),
    reads.waits(tasks, since),
    reads.costsSince(sessions, now - HOUR_MS),
  ])
  const lanes = drafts.flatMap(({ task, session }, at): Lane[] => {
    const one = shown[at]
    if (one === undefined) return []
    const ofSession = session === null ? undefined : lines.get(session.key)
    const waited = task === null ? [] : (waits.get(task.key) ?? [])
    return [
      {
        ...one,
        lines: Array.from({ length: LANE_PARTS }, (_, part) => ofSession?.get(part) ?? 0),
        waits: waited.map(({ from, to }) => ({ from: new Date(from).toISOString(), to: maybeIso(to) })),
        lastHour: costIn(session === null ? NO_COST : (costs.get(session.key) ?? NO_COST)),
      },
    ]
  })
  return { since: new Date(since).toISOString(), partMs, total: running.length, lanes }
}
