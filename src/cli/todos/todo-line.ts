import type { Todo } from '../../domain/todo/todo-item'

/** A to-do with the keys of files: in snake case, without what is empty. */
export function todoRecord(todo: Todo): Record<string, unknown> {
  const known = {
    id: todo.id,
    session_id: todo.sessionId,
    agent_id: todo.subagentId,
    ordinal: todo.ordinal,
    content: todo.content,
    active_form: todo.activeForm,
    description: todo.description,
    owner: todo.owner,
    status: todo.status,
    left_open: todo.leftOpen || null,
    promoted_to: todo.promotedTo,
    taken_by: todo.takenBy,
    created_at: todo.createdAt,
    updated_at: todo.updatedAt,
    completed_at: todo.completedAt,
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null && value !== ''))
}

/** One line of JSON, without its end. */
export const todoLine = (todo: Todo): string => JSON.stringify(todoRecord(todo))
