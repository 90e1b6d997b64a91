import type { Todo } from '../../../../src/api/contract/wire'
import { issuePath } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { AgentText } from '../ui/agent-text'
import { Status } from '../ui/status'

/** Of a list that was finished long ago only so many items are drawn. */
const SHOWN = 200

/** An agent's to-dos in their order; the one that it is at stands out. */
export function TodoList({ todos }: { todos: readonly Todo[] }) {
  const shown = todos.filter(({ status }) => status !== 'removed')
  if (shown.length === 0) return <p className="px-3 pb-1 text-xs text-ink-3">The agent keeps no list.</p>
  return (
    <ul>
      {shown.slice(0, SHOWN).map((todo) => (
        <li
          key={todo.id}
          aria-current={todo.status === 'in_progress' ? 'step' : undefined}
          className={`flex gap-2 px-3 py-0.5 text-xs ${todo.status === 'in_progress' ? 'font-medium text-ink' : todo.status === 'completed' ? 'text-ink-3' : 'text-ink-2'}`}
        >
          <span className="pt-0.5">
            <Status
              status={todo.status}
              evidence={
                todo.leftOpen ? 'left open: its list has ended' : todo.completedBy === 'issue' ? 'by its issue' : null
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
