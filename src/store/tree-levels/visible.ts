/** What a filter shows: entries that fit it, and those on the way to one. */
import type { TreeFilter } from '../../domain/overview/tree-level'
import type { Forest, ForestTask } from './forest'
import { heardBelow } from './forest'
import type { Look } from './look'
import type { Outline, OutlineItem } from './outline'

/** Keys of the tasks that are shown. @param sessions  keys of the sessions that are */
export function visibleTasks(
  forest: Forest,
  filter: TreeFilter,
  { sessions, look }: { sessions: { has(key: number): boolean }; look: Look },
): Set<number> {
  const shown = new Set<number>()
  const fits = (task: ForestTask): boolean =>
    task.hasTitle &&
    // Only its sessions tell which agent CLI worked on it.
    filter.agent === undefined &&
    (filter.statuses === undefined || filter.statuses.includes(task.status)) &&
    (filter.needed === undefined || look.tasks.has(task.id)) &&
    (filter.since === undefined || heardBelow(task, forest.sessions) > filter.since)
  for (const task of forest.tasks.values()) {
    if (!fits(task) && !task.sessions.some((key) => sessions.has(key))) continue
    // All above it, up to one that is shown already.
    for (let at: ForestTask | undefined = task; at !== undefined && !shown.has(at.key); ) {
      shown.add(at.key)
      at = at.parentKey === null ? undefined : forest.tasks.get(at.parentKey)
    }
  }
  return shown
}

/** What is shown below a node of a session, in its order; titles are those of tasks and sessions alone. @param agents  that need somebody */
export function visibleItems(
  outline: Outline,
  { statuses, since, needed }: TreeFilter,
  agents: ReadonlySet<string> | undefined,
): (under: number | null) => readonly OutlineItem[] {
  const all = (under: number | null) => outline.below.get(under) ?? []
  if (statuses === undefined && since === undefined && needed === undefined) return all
  const fits = (item: OutlineItem): boolean =>
    (statuses === undefined || (item.kind !== 'todo' && statuses.includes(statusOf(item)))) &&
    (needed === undefined || (item.kind === 'node' && agents?.has(item.node.native_id) === true)) &&
    (since === undefined || item.heardAt > since)
  const isOnTheWay = new Set<number>()
  for (const [under, items] of outline.below) {
    if (!items.some(fits)) continue
    for (let at = under === null ? undefined : outline.nodes.get(under); at !== undefined && !isOnTheWay.has(at.id); ) {
      isOnTheWay.add(at.id)
      at = at.parent
    }
  }
  return (under) => all(under).filter((item) => fits(item) || (item.kind === 'node' && isOnTheWay.has(item.node.id)))
}

const statusOf = (item: OutlineItem) => (item.kind === 'node' ? item.node.status : item.status)
