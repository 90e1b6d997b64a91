import type { TodoChangeEntry } from './todo-history'
import type { Todo } from './todo-item'

/** To-dos of a session whose changes are looked at. */
export const MOST_PASTS = 500

/** A to-do with what changed, oldest first. Times are ISO 8601. */
export interface TodoPast {
  todo: Todo
  history: readonly { at: string | null; change: string; from: string | null; to: string | null }[]
}

/** A change as it is shown, without who made it. */
export const shownChange = ({ at, change, from, to }: TodoChangeEntry) => ({
  at: at === null ? null : new Date(at).toISOString(),
  change,
  from: from ?? null,
  to: to ?? null,
})

/** A to-do with its changes. @param history  as it is stored; `undefined` = none */
export function pastOf(todo: Todo, history: string | undefined): TodoPast {
  const stored = JSON.parse(history ?? '[]') as TodoChangeEntry[]
  return { todo, history: stored.map(shownChange) }
}

const STATUS_CHANGES: readonly string[] = ['created', 'status', 'removed', 'returned']

/** The to-dos as they were at a moment, in milliseconds; those that were not there yet, or were removed, are left out. */
export const todosAt = (all: readonly TodoPast[], at: number): Todo[] =>
  all.flatMap((past) => {
    const { todo } = past
    const made = todo.createdAt ?? past.history[0]?.at ?? null
    if (made !== null && Date.parse(made) > at) return []
    const status = valueAt(past, STATUS_CHANGES, at) as Todo['status'] | undefined
    const shown = { ...todo, status: status ?? todo.status, content: valueAt(past, ['reworded'], at) ?? todo.content }
    // What the list became at its end was not known yet.
    return shown.status === 'removed' ? [] : [{ ...shown, activeForm: null, leftOpen: false }]
  })

/** What the last change of these kinds until then made; before the first of them what that one found. */
function valueAt({ history }: TodoPast, changes: readonly string[], at: number): string | undefined {
  const own = history.filter(({ change }) => changes.includes(change))
  const isPast = (change: (typeof own)[number]) => change.at === null || Date.parse(change.at) <= at
  const last = own.findLast(isPast)
  return (last === undefined ? own[0]?.from : last.to) ?? undefined
}
