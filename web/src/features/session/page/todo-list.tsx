import type { Todo } from '#api/contract/wire'
import { Link } from '../../../components/link'
import { AgentText } from '../../../components/ui/agent-text'
import { Status } from '../../../components/ui/status'
import { issuePath } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'

/** To-dos shown at most. */
const MAX_SHOWN = 200

/** An agent's to-dos in their order; the current one stands out. */
export function TodoList({ todos }: { todos: readonly Todo[] }) {
  const shown = todos.filter(({ status }) => status !== 'removed')
  if (shown.length === 0) return <p className="px-3 pb-1 text-xs text-ink-3">No to-dos.</p>
  return (
    <ul>
      {shown.slice(0, MAX_SHOWN).map((todo) => (
        <li
          key={todo.id}
          aria-current={todo.status === 'in_progress' ? 'step' : undefined}
          className={`flex gap-2 px-3 py-0.5 text-xs ${todo.status === 'in_progress' ? 'font-medium text-ink' : todo.status === 'completed' ? 'text-ink-3' : 'text-ink-2'}`}
        >
          <span className="pt-0.5">
            <Status
              status={todo.status}
              evidence={
                todo.leftOpen
                  ? 'left open when its list ended'
                  : todo.completedBy === 'issue'
                    ? 'completed by its issue'
                    : null
              }
              isSmall
            />
          </span>
          <span className="min-w-0">
            <AgentText text={todo.status === 'in_progress' ? (todo.activeForm ?? todo.content) : todo.content} />
            {todo.owner === null ? null : <span className="text-ink-3"> · {visibleText(todo.owner)}</span>}
            {todo.leftOpen ? <span className="text-ink-3"> · left open</span> : null}
            {todo.promotedTo === null ? null : (
              <>
                {' '}
                <Link to={issuePath(todo.promotedTo)} className="text-accent">
                  {todo.promotedTo}
                </Link>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
