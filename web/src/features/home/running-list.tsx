import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { Money } from '../../components/ui/money'
import { Status } from '../../components/ui/status'
import { Took, When } from '../../components/ui/when'
import { counted, shortCount, tokensInWords, tokensOf } from '../../lib/format'
import { sessionPath, taskPath } from '../../lib/links'
import { projectName, visibleText } from '../../lib/visible-text'
import type { Running } from './needs'

/** Path of the page of something that is running. */
export const runningPath = (one: Running): string =>
  one.taskId !== null ? taskPath(one.taskId) : sessionPath(one.sessionId ?? '')

/** What is running, latest activity first. @param asking  IDs of tasks and sessions that wait for the person */
export function RunningList({ rows, asking }: { rows: readonly Running[]; asking: ReadonlySet<string> }) {
  return (
    <ul>
      {rows.map((one) => (
        <RunningRow
          key={one.taskId ?? one.sessionId}
          one={one}
          isAsking={asking.has(one.taskId ?? one.sessionId ?? '')}
        />
      ))}
    </ul>
  )
}

function RunningRow({ one, isAsking }: { one: Running; isAsking: boolean }) {
  const status = isAsking ? 'waiting' : (one.sessionStatus ?? one.taskStatus ?? 'running')
  return (
    <li
      data-testid="running-row"
      className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-0.5 border-b border-line px-3 py-2 last:border-b-0 md:grid-cols-[5.5rem_minmax(0,1fr)_3rem_3.5rem_5rem] lg:grid-cols-[6.5rem_minmax(0,1fr)_4.5rem_4.5rem_5.5rem]"
    >
      <span className="max-md:order-2 max-md:justify-self-end">
        <Status status={status} evidence={one.statusEvidence} />
      </span>
      <div className="min-w-0 max-md:order-1">
        <Link to={runningPath(one)} className="block text-sm font-medium">
          <AgentLine text={one.title} />
        </Link>
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-xs text-ink-3">
          {one.project === null ? null : <span>{projectName(one.project)}</span>}
          <CliName name={one.agentCli} />
          {one.agentName === null ? null : <span>by {visibleText(one.agentName)}</span>}
          {one.runningAgents > 0 ? <span>{counted(one.runningAgents, 'sub-agent')} running</span> : null}
          {one.todos === null || one.todos.total === 0 ? null : (
            <span>
              {one.todos.completed} of {one.todos.total} to-dos
            </span>
          )}
        </p>
        {one.doing === null ? null : (
          <p className="text-xs text-ink-2">
            <AgentLine text={one.doing} />
          </p>
        )}
      </div>
      <Sums one={one} />
    </li>
  )
}

function Sums({ one }: { one: Running }) {
  const isNothing = tokensOf(one.usage) === 0 && one.costUsd === null
  return (
    <div className="col-span-full flex gap-3 text-xs text-ink-3 max-md:order-3 md:contents">
      <span title={tokensInWords(one.usage)} className="md:text-right">
        {shortCount(tokensOf(one.usage))} <span className="md:sr-only">tokens</span>
      </span>
      <span className="md:text-right">{isNothing ? null : <Money cost={one} />}</span>
      <span className="md:text-right">
        {one.lastEventAt === null ? <Took from={one.startedAt} to={null} /> : <When at={one.lastEventAt} />}
      </span>
    </div>
  )
}
