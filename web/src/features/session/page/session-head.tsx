import { GitBranch } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Subagent } from '#api/contract/wire'
import type { SessionId } from '#domain/ids'
import { Link } from '../../../components/link'
import { PageHead } from '../../../components/page-head'
import { AgentLine } from '../../../components/ui/agent-text'
import { CliName } from '../../../components/ui/cli-name'
import { IdChip } from '../../../components/ui/id-chip'
import { Money } from '../../../components/ui/money'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { dollarsInWords, shortCount, tokensInWords, tokensOf, withoutAgents } from '../../../lib/format'
import { issuePath, taskPath } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import { useSession } from './session-context'
import { type KnownSession, type SessionDetail, useSessionIssues } from './use-session-data'

interface SessionHeadProps {
  id: SessionId
  /** `null` until it is loaded. */
  session: KnownSession | null
  /** The attempt that runs or ran the session. */
  worker: SessionDetail['worker']
  /** From the outermost sub-agent to the shown one; empty on the main thread. */
  path: readonly Subagent[]
  actions: ReactNode
}

/** The header: title, facts and path to the shown sub-agent. */
export function SessionHead({ id, session, worker, path, actions }: SessionHeadProps) {
  const title = visibleText(session?.title ?? `Session ${id.slice(0, 8)}`)
  return (
    <PageHead
      title={title.replace(/\s+/g, ' ').slice(0, 120)}
      name={<AgentLine text={title} />}
      actions={actions}
      below={
        session === null ? 'Reading the session …' : <SessionFacts session={session} worker={worker} path={path} />
      }
    />
  )
}

/** Folders, branches and models of any length are one line at most, so that the conversation keeps its room. */
const NAME = 'min-w-0 max-w-80 truncate'

function SessionFacts({
  session,
  worker,
  path,
}: Pick<SessionHeadProps, 'worker' | 'path'> & { session: KnownSession }) {
  const issues = useSessionIssues(session.id).data?.issues ?? []
  const folder = session.project?.split('/').at(-1)
  return (
    <>
      <Status status={session.status} evidence={session.statusEvidence} />
      {session.lastEventAt === null ? null : <When at={session.lastEventAt} />}
      <IdChip id={session.id} />
      {folder === undefined ? null : (
        <span title={visibleText(session.cwd ?? '')} className={NAME}>
          {visibleText(folder)}
        </span>
      )}
      {session.gitBranch === null ? null : (
        <span title={visibleText(session.gitBranch)} className="inline-flex min-w-0 items-center gap-1">
          <GitBranch aria-hidden size={12} className="shrink-0" />
          <span className="sr-only">branch</span>
          <span className={NAME}>{visibleText(session.gitBranch)}</span>
        </span>
      )}
      <CliName name={session.agent} version={session.agentVersion} />
      {session.model === null ? null : (
        <span
          className={`max-md:hidden ${NAME}`}
          title={visibleText(`${session.model}, ${session.agent} ${session.agentVersion ?? ''}`.trim())}
        >
          {visibleText(session.model)}
        </span>
      )}
      <span title={tokensInWords(session.usage)}>{shortCount(tokensOf(session.usage))} tokens</span>
      {session.counts.unknownAgents === 0 ? null : <span>{withoutAgents(session.counts.unknownAgents)}</span>}
      <Money
        cost={session}
        title={`${dollarsInWords(session.costUsd, session.isEstimate)}, including all sub-agents`}
      />
      {worker === null ? null : (
        <span title={`${visibleText(worker.agentName)}, attempt ${worker.attemptId.split('.').at(-1)}`}>
          {worker.isLive ? 'run of' : 'former run of'}{' '}
          <Link to={taskPath(worker.taskId)} className="text-accent">
            {worker.taskId}
          </Link>
        </span>
      )}
      {issues.slice(0, 3).map((issue) => (
        <Link key={issue.id} to={issuePath(issue.id)} className="text-accent" title={visibleText(issue.title)}>
          {issue.id}
        </Link>
      ))}
      {path.length === 0 ? null : <AgentPath path={path} />}
    </>
  )
}

/** The path to the shown sub-agent, with links back. */
function AgentPath({ path }: { path: readonly Subagent[] }) {
  const { pathTo, toLaunch } = useSession()
  const last = path.at(-1)
  return (
    <nav aria-label="Sub-agents" className="flex basis-full flex-wrap items-center gap-x-1.5 pt-0.5 text-sm text-ink-2">
      <Link to={pathTo({ agent: null, at: null })} className="text-accent">
        main
      </Link>
      {path.map((agent) => (
        <span key={agent.id} className="inline-flex min-w-0 items-center gap-1.5">
          <span aria-hidden className="text-ink-3">
            ›
          </span>
          {agent === last ? (
            <>
              <strong className={`font-medium text-ink ${NAME}`} title={visibleText(agent.description ?? '')}>
                {visibleText(agent.description ?? agent.type ?? agent.id)}
              </strong>
              <Status status={agent.status} evidence={agent.statusEvidence} />
              <IdChip id={agent.id} />
              {agent.toolUseId === null ? null : (
                <button
                  type="button"
                  onClick={() => toLaunch(agent.id)}
                  className="text-xs text-accent hover:underline"
                >
                  go to launch
                </button>
              )}
            </>
          ) : (
            <Link to={pathTo({ agent: agent.id, at: null })} className={`text-accent ${NAME}`}>
              {visibleText(agent.description ?? agent.type ?? agent.id)}
            </Link>
          )}
        </span>
      ))}
    </nav>
  )
}
