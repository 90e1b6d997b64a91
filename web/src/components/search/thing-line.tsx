import type { FoundIssue, FoundSession, FoundTask } from '../../lib/find-things'
import { issuePath, sessionPath, taskPath } from '../../lib/links'
import { folderName } from '../../lib/task-words'
import { Link } from '../link'
import { AgentLine } from '../ui/agent-text'
import { IdChip } from '../ui/id-chip'
import { Status } from '../ui/status'
import { When } from '../ui/when'

/** Something with a title and an id, whatever it is. */
export interface Thing {
  kind: 'sessions' | 'tasks' | 'issues'
  id: string
  title: string
  status: string
  evidence: string | null
  project: string | null
  at: string | null
  path: string
}

export const sessionThing = ({ id, title, status, statusEvidence, project, lastEventAt }: FoundSession): Thing => ({
  kind: 'sessions',
  id,
  title: title ?? id,
  status,
  evidence: statusEvidence,
  project,
  at: lastEventAt,
  path: sessionPath(id),
})

export const taskThing = ({ id, title, status, reason, project, dir, updatedAt }: FoundTask): Thing => ({
  kind: 'tasks',
  id,
  title,
  status,
  evidence: reason,
  project: project ?? dir,
  at: updatedAt,
  path: taskPath(id),
})

export const issueThing = ({ id, title, status, updatedAt }: FoundIssue): Thing => ({
  kind: 'issues',
  id,
  title,
  status,
  evidence: null,
  project: null,
  at: updatedAt,
  path: issuePath(id),
})

/** Title and status of it, and how long ago something happened there. */
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
        <When at={thing.at} className="ml-auto" />
      </div>
    </div>
  )
}
