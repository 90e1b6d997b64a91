import type { ReactNode } from 'react'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { Status } from '../../../components/ui/status'
import { issuePath, taskPath } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import { MessageList } from '../list/message-list'
import { AgentList } from './agent-list'
import { TodoList } from './todo-list'
import {
  type KnownSession,
  type SessionDetail,
  useSessionIssues,
  useSessionMessages,
  useSessionTasks,
} from './use-session-data'

interface BesideProps {
  session: KnownSession
  detail: SessionDetail
  /** Asks for more sub-agents than `detail` has. */
  onMoreAgents(): void
}

/** Beside the conversation: to-dos, sub-agents, messages, tasks and issues. */
export function Beside({ session, detail, onMoreAgents }: BesideProps) {
  const issues = useSessionIssues(session.id).data
  const tasks = useSessionTasks(session.id).data?.tasks ?? []
  const messages = useSessionMessages(session.id, detail).data ?? []
  const onTheirWay = messages.filter(({ status }) => status !== 'superseded' && status !== 'withdrawn').slice(0, 5)
  const agents = [...detail.subagents, ...detail.backgroundTasks]
  return (
    <div className="flex flex-col">
      <Section title="To-dos" count={detail.todos.filter(({ status }) => status !== 'removed').length}>
        <TodoList todos={detail.todos} />
      </Section>
      <Section title="Sub-agents and background work" count={detail.agentCount}>
        <AgentList session={session} agents={agents} total={detail.agentCount} onMore={onMoreAgents} />
      </Section>
      {onTheirWay.length === 0 ? null : (
        <Section title="Messages">
          <div className="px-3">
            <MessageList messages={onTheirWay} />
          </div>
        </Section>
      )}
      {tasks.length === 0 ? null : (
        <Section title="Tasks created here" count={tasks.length}>
          <ul>
            {tasks.map((task) => (
              <li key={task.id} className="flex min-h-7 items-center gap-2 px-3 text-xs">
                <Status status={task.status} evidence={task.reason} isSmall />
                <Link to={taskPath(task.id)} className="shrink-0 font-mono text-accent">
                  {task.id}
                </Link>
                <AgentLine text={task.title} className="min-w-0" />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {issues === undefined || issues.issues.length === 0 ? null : (
        <Section title="Issues" count={issues.issues.length}>
          <ul>
            {issues.issues.map((issue) => (
              <li key={issue.id} className="flex min-h-7 items-center gap-2 px-3 text-xs">
                <Status
                  status={issue.status}
                  evidence={issue.evidence.map(({ source }) => source).join(', ')}
                  isSmall
                />
                <Link to={issuePath(issue.id)} className="shrink-0 font-mono text-accent">
                  {visibleText(issue.id)}
                </Link>
                <AgentLine text={issue.title} className="min-w-0" />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  )
}

function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section className="border-b border-line pb-1.5">
      <h2 className="flex h-8 items-center gap-2 px-3 text-xs font-semibold text-ink-2">
        {title}
        {count === undefined || count === 0 ? null : <span className="font-normal text-ink-3">{count}</span>}
      </h2>
      {children}
    </section>
  )
}
