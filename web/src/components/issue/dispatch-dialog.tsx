import { useMutation, useQuery } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ResponseOf } from '../../../../src/api/contract/responses'
import { isAppError } from '../../../../src/domain/errors'
import { client } from '../../lib/api'
import { counted } from '../../lib/format'
import { type ListedIssue, scopeOf } from '../../lib/issue-query'
import { taskPath } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { AgentLine } from '../ui/agent-text'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { ErrorLine } from '../ui/error-card'
import { Select, TextField } from '../ui/field'
import { IdChip } from '../ui/id-chip'
import { Tick } from '../ui/tick'

interface DispatchDialogProps {
  issue: ListedIssue
  project: string | undefined
  onClose(): void
}

/** Makes a task of an issue, and of what waits for it if that is wanted; what would be made is shown before. */
export function DispatchDialog({ issue, project, onClose }: DispatchDialogProps) {
  const [agentId, setAgentId] = useState('')
  const [priority, setPriority] = useState('')
  const [withDependents, setWithDependents] = useState(false)
  const [again, setAgain] = useState(false)
  const [force, setForce] = useState(false)
  const input = {
    ...scopeOf(project),
    ...(withDependents && { withDependents }),
    ...(again && { again }),
    ...(force && { force }),
    ...(agentId !== '' && { agentId }),
    ...(priority.trim() !== '' && { priority: Number(priority) }),
  }
  const keyOf = useKeyOfChoice()
  const preview = useQuery({
    queryKey: ['issue', issue.id, project, 'dispatch', withDependents, again, force],
    queryFn: ({ signal }) =>
      client.issues.dispatch(
        issue.id,
        {
          ...scopeOf(project),
          dryRun: true,
          ...(withDependents && { withDependents }),
          ...(again && { again }),
          ...(force && { force }),
        },
        { signal },
      ),
    placeholderData: (previous) => previous,
  })
  const agents = useQuery({ queryKey: ['fleet', 'agents'], queryFn: ({ signal }) => client.agents.list({ signal }) })
  const dispatch = useMutation({
    mutationFn: () => client.issues.dispatch(issue.id, input, { idempotencyKey: keyOf(JSON.stringify(input)) }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    dispatch.mutate()
  }
  const problem = /^\s*(\d{1,2}|100)?\s*$/.test(priority) ? null : 'A whole number from 0 to 100.'

  if (dispatch.data !== undefined) return <Dispatched done={dispatch.data} onClose={onClose} />
  const plan = preview.error === null ? preview.data?.tasks : undefined
  const isRefused = isAppError(preview.error) && preview.error.code === 'conflict'
  const made = plan?.filter(({ isNew }) => isNew).length ?? 0
  return (
    <Dialog
      title={`Dispatch ${issue.id}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="main"
            type="submit"
            form="dispatch-issue"
            icon={<ListChecks aria-hidden size={13} />}
            isBusy={dispatch.isPending}
            disabled={problem !== null || made === 0}
          >
            {made > 1 ? `Make ${made} tasks` : 'Make the task'}
          </Button>
        </>
      }
    >
      <form id="dispatch-issue" onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-sm text-ink-2">
          A worker takes the task and is given the issue’s text, with how to claim and close it.
        </p>
        <div className="grid gap-3 sm:grid-cols-2">
          <Select label="For" value={agentId} autoFocus onChange={(event) => setAgentId(event.target.value)}>
            <option value="">the pool: whoever is free</option>
            {agents.data?.agents.map(({ id, name, status, isSpecialist }) => (
              <option key={id} value={id}>
                {visibleText(name)} ({isSpecialist ? 'specialist' : status})
              </option>
            ))}
          </Select>
          <TextField
            label="Priority, 0 to 100"
            placeholder="by the issue’s"
            inputMode="numeric"
            value={priority}
            problem={problem}
            onChange={(event) => setPriority(event.target.value)}
          />
        </div>
        <Tick label="Also what waits for it, and what waits for that" is={withDependents} onIs={setWithDependents} />
        <Tick label="A new task though one is not over" is={again} onIs={setAgain} />
        <Tick label="Though it is closed, blocked, put off or held by another" is={force} onIs={setForce} />
        <section aria-label="What would be made" aria-live="polite" className="rounded bg-sunken p-2 text-xs">
          {preview.error !== null ? <ErrorLine error={preview.error} /> : null}
          {isRefused ? <p className="pt-1 text-ink-2">Tick the last box to make the task all the same.</p> : null}
          {plan === undefined ? null : <Plan tasks={plan} />}
          {preview.error === null
            ? preview.data?.notices.map((notice) => (
                <p key={notice} className="pt-1 text-ink-2">
                  {notice}
                </p>
              ))
            : null}
        </section>
        <ErrorLine error={dispatch.error} />
      </form>
    </Dialog>
  )
}

/** One key for each choice: a second press after a connection that broke makes no second task. */
function useKeyOfChoice(): (choice: string) => string {
  const [keys] = useState(() => new Map<string, string>())
  return (choice) => {
    const key = keys.get(choice) ?? crypto.randomUUID()
    keys.set(choice, key)
    return key
  }
}

type Tasks = ResponseOf<'issues.dispatch'>['tasks']

function Plan({ tasks }: { tasks: Tasks }) {
  return (
    <ul className="flex flex-col gap-1">
      {tasks.map(({ issueId, title, taskId, waitsFor, isNew }) => (
        <li key={issueId} className="flex flex-wrap items-baseline gap-x-1.5">
          <IdChip id={issueId} />
          <span className="min-w-0 max-w-full flex-1 basis-40">
            <AgentLine text={title} />
          </span>
          <span className="text-ink-3">
            {isNew ? (
              'a new task'
            ) : (
              <>has {taskId === null ? 'a task' : <Link to={taskPath(taskId)}>{taskId}</Link>}, which is not over</>
            )}
            {waitsFor.length === 0 ? '' : `, after ${waitsFor.join(', ')}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Dispatched({ done, onClose }: { done: ResponseOf<'issues.dispatch'>; onClose(): void }) {
  const made = done.tasks.filter(({ isNew }) => isNew).length
  return (
    <Dialog
      title={made === 0 ? 'Its task is there already' : `${counted(made, 'task')} made`}
      onClose={onClose}
      foot={
        <Button look="main" onClick={onClose} autoFocus>
          Done
        </Button>
      }
    >
      <ul className="flex flex-col gap-2 text-sm" aria-live="polite">
        {done.tasks.map(({ issueId, title, taskId }) =>
          taskId === null ? null : (
            <li key={issueId} className="flex items-baseline gap-2">
              <IdChip id={taskId} />
              <Link to={taskPath(taskId)} className="min-w-0 flex-1 text-accent">
                <AgentLine text={title} />
              </Link>
            </li>
          ),
        )}
      </ul>
      {done.notices.map((notice) => (
        <p key={notice} className="pt-2 text-xs text-ink-2">
          {notice}
        </p>
      ))}
    </Dialog>
  )
}
