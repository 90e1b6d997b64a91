import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Hand } from 'lucide-react'
import { useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { sessionPath, taskPath } from '../../../lib/links'
import { useNow } from '../../../lib/time'
import { detailKey, isOver, scopeOf, useIssueSessions } from '../issue-query'
import type { ShownIssue } from './issue-edit'
import { ClaimMark, evidenceOf } from './work-mark'

type IssueSession = Answers['links']['ofIssue']['sessions'][number]

/** The work on the issue: the claim, tasks, and sessions with their to-dos. */
export function IssueWork({ shown }: { shown: ShownIssue }) {
  const { detail, dir } = shown
  const sessions = useIssueSessions(detail.issue.id, dir)
  const all = sessions.data?.sessions ?? []
  return (
    <div className="flex flex-col gap-2">
      <Claim shown={shown} />
      {detail.tasks.length === 0 ? null : (
        <section aria-label="Tasks">
          <h3 className="text-xs font-semibold text-ink-3">Tasks</h3>
          <ul>
            {detail.tasks.map(({ id, title, status }) => (
              <li key={id} className="flex min-h-7 items-center gap-1.5 text-sm max-md:min-h-9">
                <Status status={status} isSmall />
                <IdChip id={id} />
                <Link to={taskPath(id)} className="min-w-0 flex-1">
                  <AgentLine text={title} />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Sessions">
        <h3 className="text-xs font-semibold text-ink-3">Sessions</h3>
        <ErrorLine error={sessions.error} />
        {sessions.data !== undefined && all.length === 0 ? (
          <p className="text-xs text-ink-3">
            None yet. Sessions that claim the issue, run a task for it, or name it in a prompt or branch appear here.
          </p>
        ) : null}
        <ul className="flex flex-col">
          {all.map((one) => (
            <SessionRow key={one.session.id} one={one} />
          ))}
        </ul>
        {sessions.data?.isTruncated ? <p className="text-xs text-ink-3">Showing the newest 200.</p> : null}
      </section>
    </div>
  )
}

function Claim({ shown }: { shown: ShownIssue }) {
  const { detail, dir, project } = shown
  const { issue } = detail
  const { claim } = issue
  const queries = useQueryClient()
  const now = useNow()
  const move = useMutation({
    mutationFn: (what: 'claim' | 'release') =>
      what === 'claim'
        ? client.issues.claim(issue.id, scopeOf(dir))
        : // An operator may end any claim.
          client.issues.release(issue.id, { ...scopeOf(dir), force: true }),
    onSuccess: ({ issue: after }) =>
      queries.setQueryData(detailKey(issue.id, project), (before: typeof detail | undefined) =>
        before === undefined ? before : { ...before, issue: after },
      ),
  })
  if (claim === null && isOver(issue)) return null
  return (
    <div className="flex flex-col items-start gap-1">
      {claim === null ? (
        <Button
          act="issues.claim"
          icon={<Hand aria-hidden size={13} />}
          isBusy={move.isPending}
          onClick={() => move.mutate('claim')}
        >
          Claim
        </Button>
      ) : (
        <div className="flex w-full items-start gap-2">
          <div className="min-w-0 flex-1">
            <ClaimMark claim={claim} />
            <p aria-hidden className="text-xs text-ink-3">
              {evidenceOf(claim, now)}
            </p>
            {claim.sessionId === null ? null : (
              <Link to={sessionPath(claim.sessionId)} className="text-xs text-accent underline">
                session
              </Link>
            )}
          </div>
          <Button act="issues.release" isBusy={move.isPending} onClick={() => move.mutate('release')}>
            Release
          </Button>
        </div>
      )}
      <ErrorLine error={move.error} />
    </div>
  )
}

/** How a session is linked to the issue. */
const EVIDENCE_WORDS: Record<IssueSession['evidence'][number]['source'], string> = {
  person: 'linked by a person',
  claim: 'claimed it',
  task: 'ran a task for it',
  environment: 'named in its environment',
  prompt: 'named in a prompt',
  branch: 'named in its branch',
}

/** Signs of to-do statuses. */
const TODO_SIGNS: Record<string, string> = { completed: '☑', in_progress: '▸', pending: '☐', removed: '×' }

/** To-dos of a session shown at most. */
const MAX_TODOS = 100

function SessionRow({ one }: { one: IssueSession }) {
  const { session, evidence, progress, todos } = one
  const [isOpen, setOpen] = useState(session.status === 'running')
  const items = todos.filter(({ status }) => status !== 'removed')
  return (
    <li className="flex flex-col border-b border-line py-1 last:border-b-0">
      <div className="flex min-h-6 items-center gap-1.5 text-sm max-md:min-h-9">
        <Status status={session.status ?? 'unknown'} evidence={session.statusEvidence} isSmall />
        <IdChip id={session.id} />
        <Link to={sessionPath(session.id)} className="min-w-0 flex-1">
          <AgentLine text={session.title ?? 'Untitled session'} />
        </Link>
        <When at={session.lastEventAt} className="shrink-0 text-xs text-ink-3" />
      </div>
      <p className="pl-5 text-xs text-ink-3">
        {[...new Set(evidence.map(({ source }) => EVIDENCE_WORDS[source]))].join(', ')}
      </p>
      {items.length === 0 ? null : (
        <div className="pl-5">
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="text-xs text-ink-2 underline-offset-2 hover:underline max-md:min-h-9"
          >
            {isOpen ? '▾' : '▸'} {progress.completed} of {progress.total} to-dos done
            {progress.inProgress > 0 ? `, ${progress.inProgress} in progress` : ''}
          </button>
          {isOpen ? (
            <ul className="flex flex-col text-xs">
              {items.slice(0, MAX_TODOS).map(({ id, content, status }) => (
                <li key={id} className={`flex gap-1.5 ${status === 'completed' ? 'text-ink-3' : ''}`}>
                  <span aria-hidden>{TODO_SIGNS[status] ?? '☐'}</span>
                  <span className="sr-only">{status.replaceAll('_', ' ')}: </span>
                  <AgentLine text={content} className="min-w-0" />
                </li>
              ))}
            </ul>
          ) : null}
        </div>
      )}
    </li>
  )
}
