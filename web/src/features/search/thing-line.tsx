import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { IdChip } from '../../components/ui/id-chip'
import { Status } from '../../components/ui/status'
import { When } from '../../components/ui/when'
import { issuePath, sessionPath, taskPath } from '../../lib/links'
import { folderName } from '../task/task-words'
import type { FoundIssue, FoundSession, FoundTask } from './find-things'

/** A session, task or issue, as a search result. */
export interface Thing {
  kind: 'sessions' | 'tasks' | 'issues'
  id: string
  title: string
  status: string
  evidence: string | null
  project: string | null
  agentCli: string | null
  at: string | null
  path: string
}

/** A session as a search result. */
export const sessionThing = ({
  id,
  title,
  status,
  statusEvidence,
  project,
  lastEventAt,
  agent,
}: FoundSession): Thing => ({
  kind: 'sessions',
  id,
  title: title ?? id,
  status,
  evidence: statusEvidence,
  project,
  agentCli: agent,
  at: lastEventAt,
  path: sessionPath(id),
})

/** A task as a search result. */
export const taskThing = ({ id, title, status, reason, project, dir, updatedAt, agentCli }: FoundTask): Thing => ({
  kind: 'tasks',
  id,
  title,
  status,
  evidence: reason,
  project: project ?? dir,
  agentCli,
  at: updatedAt,
  path: taskPath(id),
})

/** An issue as a search result. */
export const issueThing = ({ id, title, status, updatedAt }: FoundIssue): Thing => ({
  kind: 'issues',
  id,
  title,
  status,
  evidence: null,
  project: null,
  agentCli: null,
  at: updatedAt,
  path: issuePath(id),
})

/** Title, status, project and age of a search result. */
export function ThingLine({ thing }: { thing: Thing }) {
  return (
    <div className="flex min-w-0 flex-col">
      <div className="flex min-w-0 items-center gap-2">
        <Status status={thing.status} evidence={thing.evidence} isSmall />
        <Link to={thing.path} tabIndex={-1} className="min-w-0 flex-1 text-sm after:absolute after:inset-0">
          <AgentLine text={thing.title} />
        </Link>
      </div>
      <div className="flex min-w-0 items-baseline gap-2 pl-5 text-xs text-ink-3">
        <span className="relative -ml-1 min-w-0">
          <IdChip id={thing.id} />
        </span>
        {thing.project === null ? null : (
          <span className="min-w-0">
            <AgentLine text={folderName(thing.project)} />
          </span>
        )}
        <CliName name={thing.agentCli} />
        <When at={thing.at} className="ml-auto" />
      </div>
    </div>
  )
}
