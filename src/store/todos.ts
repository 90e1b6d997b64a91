import { sessionId, subagentId, todoId } from '../domain/ids'
import type { TodoReads } from '../domain/store'
import type { Todo } from '../domain/todo-item'
import { isoTime, type ReadContext } from './read-context'

/** Reads to-dos: by session, list and place in the list. */
export function todoReads(context: ReadContext): TodoReads {
  return {
    async list(filter) {
      let query = selectTodos(context)
      if (filter.sessionId !== undefined) query = query.where('s.native_id', '=', filter.sessionId)
      if (filter.includeRemoved !== true) query = query.where('t.status', '!=', 'removed')
      const rows = await query
        .orderBy('t.session_id')
        .orderBy('t.list_id')
        .orderBy('t.ordinal')
        .orderBy('t.id')
        .execute()
      return rows.map(toTodo)
    },
  }
}

function selectTodos({ db }: ReadContext) {
  return db
    .selectFrom('todos as t')
    .innerJoin('todo_lists as l', 'l.id', 't.list_id')
    .innerJoin('sessions as s', 's.id', 't.session_id')
    .leftJoin('subagents as a', 'a.id', 't.subagent_id')
    .selectAll('t')
    .select(['l.name as list_name', 's.native_id as session_native_id', 'a.native_id as subagent_native_id'])
}

type TodoRow = Awaited<ReturnType<ReturnType<typeof selectTodos>['execute']>>[number]

function toTodo(row: TodoRow): Todo {
  return {
    id: todoId(row.id),
    listId: row.list_name,
    sessionId: sessionId(row.session_native_id),
    subagentId: row.subagent_native_id === null ? null : subagentId(row.subagent_native_id),
    nativeId: row.native_id,
    ordinal: row.ordinal,
    content: row.content,
    activeForm: row.active_form,
    description: row.description,
    owner: row.owner,
    blockedBy: JSON.parse(row.blocked_by) as string[],
    status: row.status,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    completedAt: isoTime(row.completed_at),
    completedBy: row.status === 'completed' ? 'agent' : null,
    changedBy: null,
    leftOpen: false,
    promotedTo: null,
    takenBy: null,
  }
}
