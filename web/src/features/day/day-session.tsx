import { Bot, FilePen, GitBranch, ListTodo, SquareTerminal } from 'lucide-react'
import type { ReactNode } from 'react'
import { plainWords } from '#domain/plain-words'
import { askedInLine, callParts } from '#domain/session/call-parts'
import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { Status } from '../../components/ui/status'
import { sessionPath } from '../../lib/links'
import { writeSearch } from '../../lib/search'
import { lengthOf } from '../../lib/time'
import { visibleText } from '../../lib/visible-text'
import { clockTime } from '../session/rows/row-frame'
import { folderName } from '../task/task-words'
import type { Deed, PastAgent, PastSession } from './day-query'

/** The evidence of a status that nobody saw. */
const THEN = 'at that time, by its lines'
/** Levels of sub-agents that are indented. */
const MOST_INDENT = 5

/** A session as it was at a moment: what it did, and its sub-agents, to-dos and files. @param at  ISO 8601 @param strip  its day */
export function DaySessionRow({ session, at, strip }: { session: PastSession; at: string; strip: ReactNode }) {
  const { id, title, status, agent, project, gitBranch, lastWords, doing, agents, todos, files } = session
  const isAtWork = status === 'running' || status === 'waiting'
  const to = sessionPath(id) + writeSearch({ t: at })
  return (
    <article
      aria-label={visibleText(title ?? `Session ${id.slice(0, 8)}`)}
      data-testid="day-session"
      className="border-b border-line px-4 py-2 text-sm max-md:px-3"
    >
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
        <span className="shrink-0 md:w-28">
          <Status status={status} evidence={THEN} />
        </span>
        <Link to={to} className="min-w-0 flex-1 font-medium hover:underline max-md:order-last max-md:basis-full">
          <AgentLine text={title ?? `Session ${id.slice(0, 8)}`} />
        </Link>
        <span className="flex min-w-0 items-center gap-2 text-xs text-ink-3 max-md:ml-auto">
          {project === null ? null : (
            <span className="max-w-40 truncate text-ink-2" title={visibleText(project)}>
              {visibleText(folderName(project))}
            </span>
          )}
          <CliName name={agent} />
          {gitBranch === null ? null : (
            <span className="inline-flex min-w-0 max-w-40 items-center gap-1 max-md:hidden">
              <GitBranch aria-hidden size={10} className="shrink-0" />
              <span className="sr-only">branch</span>
              <span className="truncate">{visibleText(gitBranch)}</span>
            </span>
          )}
          {session.heardAt === null ? null : (
            <span className="whitespace-nowrap tabular-nums">{clockTime(new Date(session.heardAt))}</span>
          )}
        </span>
        <span className="w-72 shrink-0 max-xl:hidden">{strip}</span>
      </div>
      <div className="flex flex-col gap-0.5 text-xs text-ink-2 md:pl-31">
        {isAtWork && doing !== null && doing.type === 'tool_call' ? <DeedLine deed={doing} at={at} /> : null}
        {lastWords === null ? null : (
          <div className="min-w-0 text-ink-3">
            <AgentLine text={plainWords(lastWords)} />
          </div>
        )}
        <Part icon={<Bot aria-hidden size={12} />} name="Sub-agents" count={agentWords(agents)}>
          {agents.shown
            .filter((one) => isAtWork || one.status === 'running')
            .map((one) => (
              <AgentRow key={one.id} agent={one} at={at} />
            ))}
        </Part>
        <Part icon={<ListTodo aria-hidden size={12} />} name="To-dos" count={todoWords(todos)}>
          {todos.shown
            .filter((one) => one.status === 'in_progress')
            .map((one) => (
              <li key={one.id} className="flex min-w-0 items-center gap-1.5">
                <Status status={one.status} evidence={null} isSmall />
                <AgentLine text={one.content} className="min-w-0" />
              </li>
            ))}
        </Part>
        <Part icon={<FilePen aria-hidden size={12} />} name="Changed files" count={fileWords(files)}>
          {null}
        </Part>
      </div>
    </article>
  )
}

/** Nothing where there is nothing to count. */
function Part({ icon, name, count, children }: { icon: ReactNode; name: string; count: string; children: ReactNode }) {
  if (count === '') return null
  return (
    <div className="flex min-w-0 flex-col">
      <div className="flex min-w-0 items-center gap-1.5">
        <span className="shrink-0 text-ink-3">{icon}</span>
        <span className="sr-only">{name}: </span>
        <span className="min-w-0 truncate">{count}</span>
      </div>
      <ul aria-label={name} className="flex flex-col pl-5 empty:hidden">
        {children}
      </ul>
    </div>
  )
}

function AgentRow({ agent, at }: { agent: PastAgent; at: string }) {
  const name = agent.description ?? agent.type ?? agent.id
  return (
    <li
      className="flex min-w-0 items-center gap-1.5"
      style={{ paddingLeft: Math.min(Math.max((agent.depth ?? 1) - 1, 0), MOST_INDENT) * 12 }}
    >
      <Status status={agent.status} evidence={THEN} isSmall />
      <AgentLine text={name} className="max-w-1/2 min-w-0" />
      {agent.doing === null ? null : <DeedLine deed={agent.doing} at={at} />}
    </li>
  )
}

function DeedLine({ deed: { tool, text, isOpen, at: since, type }, at }: { deed: Deed; at: string }) {
  const isCall = type === 'tool_call' && tool !== null
  const words = text === null ? '' : isCall ? askedInLine(callParts(text, tool).asked) : plainWords(text)
  const took = Date.parse(at) - Date.parse(since)
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-ink-3">
      <SquareTerminal aria-hidden size={12} className="shrink-0" />
      {isCall ? <b className="shrink-0 font-medium">{visibleText(tool)}</b> : null}
      <AgentLine text={words} className="min-w-0" />
      {isOpen && took >= 1_000 ? <span className="shrink-0 whitespace-nowrap">for {lengthOf(took)}</span> : null}
    </span>
  )
}

function agentWords({ total, running }: PastSession['agents']): string {
  if (total === 0) return ''
  return `${total === 1 ? '1 sub-agent' : `${total} sub-agents`}${running === 0 ? '' : `, ${running} at work`}`
}

const todoWords = ({ total, completed }: PastSession['todos']): string =>
  total === 0 ? '' : `${completed} of ${total === 1 ? '1 to-do' : `${total} to-dos`} done`

/** The names of the newest ones. */
function fileWords({ total, shown }: PastSession['files']): string {
  if (total === 0) return ''
  const names = shown.slice(0, 6).map((path) => visibleText(path.split(/[\\/]/).at(-1) ?? path))
  const more = total - names.length
  return `${total === 1 ? '1 file' : `${total} files`} changed: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
