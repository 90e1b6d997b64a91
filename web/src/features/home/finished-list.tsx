import { plainWords } from '#domain/plain-words'
import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { Money } from '../../components/ui/money'
import { Status } from '../../components/ui/status'
import { Took, When } from '../../components/ui/when'
import { dollarsInWords } from '../../lib/format'
import { sessionPath, taskPath } from '../../lib/links'
import type { Finished } from './needs'

/** Path of the page of something that finished. */
export function finishedPath(one: Finished): string {
  if (one.taskId !== null && one.kind === 'task') return taskPath(one.taskId)
  const agent = one.subagentId === null ? '' : `?agent=${encodeURIComponent(one.subagentId)}`
  return one.sessionId === null ? '/' : sessionPath(one.sessionId) + agent
}

const KIND_WORDS: Record<Finished['kind'], string> = { task: 'task', session: 'session', subagent: 'sub-agent' }

/**
 * Sources of costs. Costs that the runs of a task reported are on its page: a killed run reports nothing, and the CLI's own requests for
 * summaries are in no transcript.
 */
const COST_SOURCES: Record<Finished['kind'], string> = {
  task: 'from the recorded messages of its conversations',
  session: 'from its recorded messages',
  subagent: 'from its recorded messages',
}

/** What finished, newest first. */
export function FinishedList({ rows }: { rows: readonly Finished[] }) {
  return (
    <ul>
      {rows.map((one) => (
        <li
          key={`${one.kind} ${one.taskId ?? ''} ${one.sessionId ?? ''} ${one.subagentId ?? ''} ${one.at}`}
          data-testid="finished-row"
          className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 border-b border-line px-3 py-1.5 last:border-b-0 md:grid-cols-[6.5rem_minmax(0,1fr)_4.5rem_4.5rem_5.5rem]"
        >
          <span className="max-md:order-2 max-md:justify-self-end">
            <Status status={one.outcome} />
          </span>
          <div className="min-w-0 max-md:order-1">
            <Link to={finishedPath(one)} className="block text-sm">
              <AgentLine text={one.title} />
            </Link>
            <div className="flex min-w-0 gap-2 text-xs text-ink-3">
              <CliName name={one.agentCli} />
              {one.text === null ? null : (
                <p className="min-w-0">
                  <AgentLine text={plainWords(one.text)} />
                </p>
              )}
            </div>
          </div>
          <div className="col-span-full flex gap-3 text-xs text-ink-3 max-md:order-3 md:contents">
            <span className="md:text-right">{KIND_WORDS[one.kind]}</span>
            <span className="md:text-right">
              {one.costUsd === null && one.kind !== 'session' ? (
                one.kind === 'task' ? null : (
                  'unknown'
                )
              ) : (
                <Money cost={one} title={`${dollarsInWords(one.costUsd, one.isEstimate)} ${COST_SOURCES[one.kind]}`} />
              )}
            </span>
            <span className="md:text-right">
              <When at={one.at} />
              <span className="md:hidden">
                {' '}
                after <Took from={one.startedAt} to={one.at} />
              </span>
            </span>
          </div>
        </li>
      ))}
    </ul>
  )
}
