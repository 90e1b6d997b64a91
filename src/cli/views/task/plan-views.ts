import type { PlanProgress } from '../../../domain/task/plan'
import { plural } from '../../print/measures'
import { table } from '../../print/table'
import { oneLine } from '../../print/text'
import type { ViewSettings } from '../session/session-views'
import { ago } from '../session/session-views'
import { statusText } from './task-views'

/**
 *     plan p-7f3k9q2m: Build the shop
 *     2 of 3 tasks completed, 1 in progress; made by operator, 2 minutes ago
 *
 *     KEY    TASK        STATUS       AFTER         TITLE
 */
export function planView({ plan, tasks, counts }: PlanProgress, { now, columns }: ViewSettings): string {
  const { completed = 0, ...others } = counts
  const rest = Object.entries(others).map(([status, count]) => `, ${count} ${status.replace('_', ' ')}`)
  const keys = new Map(tasks.map(({ id, planKey }) => [id, planKey ?? id]))
  const head = [
    `plan ${plan.id}: ${oneLine(plan.title)}`,
    `${completed} of ${plural(tasks.length, 'task')} completed${rest.join('')}; created by ${plan.creator}, ${ago(plan.createdAt, now)}`,
  ]
  const rows = table(
    tasks,
    [
      { title: 'KEY', cell: (t) => t.planKey, max: 24 },
      { title: 'TASK', cell: (t) => t.id, max: 24 },
      { title: 'STATUS', cell: statusText },
      { title: 'AGENT', cell: (t) => t.specialist ?? t.agentName, max: 16, spare: 2 },
      {
        title: 'AFTER',
        cell: (t) => t.dependsOn.map((id) => keys.get(id) ?? id).join(', ') || null,
        max: 30,
        spare: 1,
      },
      { title: 'TITLE', cell: (t) => t.title, max: 200, flexible: 16 },
    ],
    columns,
  )
  return `${head.join('\n')}\n\n${rows}`
}
