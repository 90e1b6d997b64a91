import { useMutation, useQuery } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { isAppError } from '#domain/errors'
import { TASK_RANGES } from '#domain/task/task-limits'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { Select, TextField } from '../../../components/ui/field'
import { IdChip } from '../../../components/ui/id-chip'
import { Tick } from '../../../components/ui/tick'
import { client } from '../../../lib/api'
import { counted } from '../../../lib/format'
import { taskPath } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import { type ListedIssue, scopeOf } from '../issue-query'

interface DispatchDialogProps {
  issue: ListedIssue
  project: string | undefined
  onClose(): void
}

/** Creates a task for an issue, and optionally for its dependents. Shows a preview first. */
export function DispatchDialog({ issue, project, onClose }: DispatchDialogProps) {
  const [choice, setChoice] = useState<Choice>(FIRST_CHOICE)
  const { preview, dispatch } = useDispatch(issue, project, choice)
  const problem = isPriority(choice.priority) ? null : `A whole number from ${PRIORITY.least} to ${PRIORITY.most}.`
  if (dispatch.data !== undefined) return <Dispatched done={dispatch.data} onClose={onClose} />
  const plan = preview.error === null ? preview.data?.tasks : undefined
  const made = plan?.filter(({ isNew }) => isNew).length ?? 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    dispatch.mutate()
  }
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
            {made > 1 ? `Create ${made} tasks` : 'Create task'}
          </Button>
        </>
      }
    >
      <form id="dispatch-issue" onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-sm text-ink-2">
          A worker runs the task. Its agent gets the issue’s text, and how to claim and close the issue.
        </p>
        <ChoiceFields choice={choice} problem={problem} onChange={(part) => setChoice({ ...choice, ...part })} />
        <Preview error={preview.error} plan={plan} notices={preview.data?.notices ?? []} />
        <ErrorLine error={dispatch.error} />
      </form>
    </Dialog>
  )
}

/** What the person chose. `agentId`: empty = any worker. `priority`: as typed; empty = from the issue. */
interface Choice {
  agentId: string
  priority: string
  withDependents: boolean
  again: boolean
  force: boolean
}

const FIRST_CHOICE: Choice = { agentId: '', priority: '', withDependents: false, again: false, force: false }

/** The preview of a choice, and the mutation that makes it. */
function useDispatch(issue: ListedIssue, project: string | undefined, choice: Choice) {
  const { agentId, priority, withDependents, again, force } = choice
  const keyOf = useKeyOfChoice()
  const wanted = {
    ...scopeOf(project),
    ...(withDependents && { withDependents }),
    ...(again && { again }),
    ...(force && { force }),
  }
  const input = {
    ...wanted,
    ...(agentId !== '' && { agentId }),
    ...(priority.trim() !== '' && { priority: Number(priority) }),
  }
  const preview = useQuery({
    queryKey: ['issue', issue.id, project, 'dispatch', withDependents, again, force],
    queryFn: ({ signal }) => client.issues.dispatch(issue.id, { ...wanted, dryRun: true }, { signal }),
    placeholderData: (previous) => previous,
  })
  const dispatch = useMutation({
    mutationFn: () => client.issues.dispatch(issue.id, input, { idempotencyKey: keyOf(JSON.stringify(input)) }),
  })
  return { preview, dispatch }
}

interface ChoiceFieldsProps {
  choice: Choice
  /** What is wrong with the priority. */
  problem: string | null
  onChange(part: Partial<Choice>): void
}

function ChoiceFields({ choice, problem, onChange }: ChoiceFieldsProps) {
  const agents = useQuery({
    queryKey: ['fleet', 'agents'],
    queryFn: ({ signal }) => client.agents.list({}, { signal }),
  })
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Assign to"
          value={choice.agentId}
          autoFocus
          onChange={(event) => onChange({ agentId: event.target.value })}
        >
          <option value="">any worker</option>
          {agents.data?.agents.map(({ id, name, status, isSpecialist }) => (
            <option key={id} value={id}>
              {visibleText(name)} ({isSpecialist ? 'specialist' : status})
            </option>
          ))}
        </Select>
        <TextField
          label={`Priority, ${PRIORITY.least} to ${PRIORITY.most}`}
          placeholder="from the issue"
          inputMode="numeric"
          value={choice.priority}
          problem={problem}
          onChange={(event) => onChange({ priority: event.target.value })}
        />
      </div>
      <Tick
        label="Include issues that depend on it, directly or indirectly"
        is={choice.withDependents}
        onIs={(withDependents) => onChange({ withDependents })}
      />
      <Tick
        label="Create another task even if one is unfinished"
        is={choice.again}
        onIs={(again) => onChange({ again })}
      />
      <Tick
        label="Create it even if the issue is closed, blocked, deferred or claimed"
        is={choice.force}
        onIs={(force) => onChange({ force })}
      />
    </>
  )
}

interface PreviewProps {
  error: unknown
  plan: Tasks | undefined
  notices: readonly string[]
}

/** The tasks that would be created, or why none can be. */
function Preview({ error, plan, notices }: PreviewProps) {
  const isRefused = isAppError(error) && error.code === 'conflict'
  return (
    <section aria-label="Preview" aria-live="polite" className="rounded bg-sunken p-2 text-xs">
      <ErrorLine error={error} />
      {isRefused ? <p className="pt-1 text-ink-2">Tick the last box to create the task anyway.</p> : null}
      {plan === undefined ? null : <Plan tasks={plan} />}
      {error === null
        ? notices.map((notice) => (
            <p key={notice} className="pt-1 text-ink-2">
              {notice}
            </p>
          ))
        : null}
    </section>
  )
}

/** Bounds of a task's priority. */
const PRIORITY = TASK_RANGES.priority

/** Whether a text is empty or a priority of a task. */
function isPriority(text: string): boolean {
  const typed = text.trim()
  return typed === '' || (/^\d+$/.test(typed) && Number(typed) >= PRIORITY.least && Number(typed) <= PRIORITY.most)
}

/** One idempotency key per choice, so that a retry after a lost connection creates no second task. */
function useKeyOfChoice(): (choice: string) => string {
  const [keys] = useState(() => new Map<string, string>())
  return (choice) => {
    const key = keys.get(choice) ?? crypto.randomUUID()
    keys.set(choice, key)
    return key
  }
}

type Tasks = Answers['issues']['dispatch']['tasks']

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
              'new task'
            ) : (
              <>has {taskId === null ? 'a task' : <Link to={taskPath(taskId)}>{taskId}</Link>}, which is unfinished</>
            )}
            {waitsFor.length === 0 ? '' : `, after ${waitsFor.join(', ')}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Dispatched({ done, onClose }: { done: Answers['issues']['dispatch']; onClose(): void }) {
  const made = done.tasks.filter(({ isNew }) => isNew).length
  return (
    <Dialog
      title={made === 0 ? 'The task already exists' : `${counted(made, 'task')} created`}
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
