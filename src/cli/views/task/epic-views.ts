import { type Issue, TASK_STATUSES, type TaskStatus } from '../../../domain/task/task'
import { age, localTime } from '../../print/measures'
import { fields, table } from '../../print/table'
import { ago, type ViewSettings } from '../session/session-views'

/** An epic with its tasks by status. */
export interface EpicFacts {
  epic: Issue
  counts: Partial<Record<TaskStatus, number>>
}

export function epicTable(epics: readonly EpicFacts[], { now, columns }: ViewSettings): string {
  return table(
    epics,
    [
      { title: 'ID', cell: ({ epic }) => epic.id, max: 24 },
      { title: 'STATUS', cell: ({ epic }) => epic.status },
      { title: 'PRI', cell: ({ epic }) => String(epic.priority), align: 'right', spare: 2 },
      { title: 'AGE', cell: ({ epic }) => age(epic.updatedAt, now), align: 'right', spare: 1 },
      { title: 'DONE', cell: ({ counts }) => `${counts.completed ?? 0}/${total(counts)}`, align: 'right' },
      { title: 'TITLE', cell: ({ epic }) => epic.title, max: 200, flexible: 16 },
    ],
    columns,
  )
}

export function epicFields({ epic, counts }: EpicFacts, now: number): string {
  return fields([
    ['epic', epic.id],
    ['title', epic.title],
    ['status', epic.status],
    ['priority', String(epic.priority)],
    ['tasks', countsText(counts)],
    ['created', `${localTime(epic.createdAt)} (${ago(epic.createdAt, now)})`],
  ])
}

/** `3 (1 in_progress, 2 completed)`. */
export function countsText(counts: EpicFacts['counts']): string {
  const parts = TASK_STATUSES.flatMap((each) => (counts[each] ? [`${counts[each]} ${each}`] : []))
  return parts.length === 0 ? '0' : `${total(counts)} (${parts.join(', ')})`
}

const total = (counts: EpicFacts['counts']): number => TASK_STATUSES.reduce((sum, each) => sum + (counts[each] ?? 0), 0)
