import type { SessionId } from '#domain/ids'
import type { Todo } from '#domain/todo/todo-item'
import { Link } from '../../../components/link'
import { AgentText } from '../../../components/ui/agent-text'
import { Status } from '../../../components/ui/status'
import { counted } from '../../../lib/format'
import { sessionPath } from '../../../lib/links'
import { Section } from './section'

/** To-dos shown at most. */
const MAX_SHOWN = 60

/** The to-dos of the newest conversation, including its sub-agents. */
export function TaskTodos({ todos, sessionId }: { todos: readonly Todo[]; sessionId: SessionId | null }) {
  const shown = todos.filter(({ status }) => status !== 'removed')
  if (shown.length === 0) return null
  const done = shown.filter(({ status }) => status === 'completed').length
  return (
    <Section title="To-dos" aside={<span className="text-2xs text-ink-3">{`${done} of ${shown.length} done`}</span>}>
      <ul className="flex flex-col">
        {shown.slice(0, MAX_SHOWN).map((todo) => (
          <li key={todo.id} className="flex min-h-6 items-baseline gap-2 text-sm">
            <Status
              status={todo.status}
              isSmall
              evidence={todo.completedBy === 'issue' ? 'completed because its issue was closed' : null}
            />
            <span className={todo.status === 'completed' ? 'text-ink-3' : ''}>
              <AgentText text={todo.status === 'in_progress' ? (todo.activeForm ?? todo.content) : todo.content} />
            </span>
            {todo.subagentId === null ? null : <span className="text-2xs text-ink-3">sub-agent</span>}
            {todo.leftOpen ? <span className="text-2xs text-need">left open</span> : null}
          </li>
        ))}
      </ul>
      {shown.length > MAX_SHOWN && sessionId !== null ? (
        <Link to={sessionPath(sessionId)} className="text-xs text-accent underline underline-offset-2">
          {counted(shown.length - MAX_SHOWN, 'more to-do')} in the session
        </Link>
      ) : null}
    </Section>
  )
}
