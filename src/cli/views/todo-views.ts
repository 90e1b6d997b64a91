import type { Todo } from '../../domain/todo/todo-item'
import { age } from '../print/measures'
import { table } from '../print/table'
import type { ViewSettings } from './session/session-views'

/** How a status looks beside the item's number; the word itself is in the column too. */
export function todoTable(todos: readonly Todo[], isOneSession: boolean, { now, columns }: ViewSettings): string {
  return table(
    todos,
    [
      ...(isOneSession ? [] : [{ title: 'SESSION', cell: (t: Todo) => t.sessionId.slice(0, 8) }]),
      { title: 'AGENT', cell: (t) => t.subagentId ?? 'main', max: 17, spare: 1 },
      { title: 'NO', cell: (t) => t.nativeId ?? String(t.ordinal + 1), align: 'right', max: 6 },
      { title: 'STATUS', cell: (t) => t.status },
      { title: 'AGE', cell: (t) => age(t.updatedAt ?? t.createdAt, now), align: 'right', spare: 2 },
      { title: 'WAITS FOR', cell: (t) => (t.blockedBy.length === 0 ? null : t.blockedBy.join(',')), max: 12, spare: 3 },
      {
        title: 'TO-DO',
        cell: (t) => (t.status === 'in_progress' ? (t.activeForm ?? t.content) : t.content),
        max: 300,
        flexible: 20,
      },
    ],
    columns,
  )
}
