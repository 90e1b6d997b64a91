import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link2, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { client } from '../../lib/api'
import { counted } from '../../lib/format'
import type { ShownIssue } from '../../lib/issue-edit'
import { detailKey, isOver, type ListedIssue, scopeOf } from '../../lib/issue-query'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { AgentLine } from '../ui/agent-text'
import { Button, IconButton } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { IdChip } from '../ui/id-chip'
import { Status } from '../ui/status'
import { pathTo } from './issue-grid'
import { IssuePicker } from './issue-picker'
import { PriorityMark } from './marks'

interface Edge {
  id: string
  type: string
  issue: ListedIssue | null
}

/** What may be said of two issues. `isReversed`: the other one has the edge. */
const RELATIONS = [
  { name: 'needs', type: 'blocks', isReversed: false },
  { name: 'is needed by', type: 'blocks', isReversed: true },
  { name: 'is part of', type: 'parent-child', isReversed: false },
  { name: 'has as a part', type: 'parent-child', isReversed: true },
  { name: 'is related to', type: 'related', isReversed: false },
  { name: 'was found at', type: 'discovered-from', isReversed: false },
  { name: 'waits for the parts of', type: 'waits-for', isReversed: false },
  { name: 'is for the case that fails', type: 'conditional-blocks', isReversed: false },
] as const

/** Dependencies both ways and children, to follow, to add and to take away. */
export function IssueLinks({ shown, onNewChild }: { shown: ShownIssue; onNewChild(): void }) {
  const { detail, dir, project } = shown
  const { issue, children, dependencies, dependents } = detail
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: detailKey(issue.id, project) })
  const remove = useMutation({
    mutationFn: ({ from, to }: { from: string; to: string }) => client.issues.removeDependency(from, to, scopeOf(dir)),
    onSuccess: refresh,
  })
  const childIds = new Set<string>(children.map(({ id }) => id))
  const neededBy = dependents.filter(({ id, type }) => !(type === 'parent-child' && childIds.has(id)))
  const rows = { project, isBusy: remove.isPending }
  return (
    <div className="flex flex-col gap-3">
      <Edges
        {...rows}
        title="Needs"
        edges={dependencies}
        onRemove={(to) => remove.mutate({ from: issue.id, to })}
        none="Nothing: it can begin whenever somebody takes it."
      />
      <Edges
        {...rows}
        title="Needed by"
        edges={neededBy}
        onRemove={(from) => remove.mutate({ from, to: issue.id })}
        none={null}
      />
      <ErrorLine error={remove.error} />
      <AddLink shown={shown} onAdded={refresh} />
      {children.length > 0 || issue.issueType === 'epic' ? (
        <Children parts={children} project={project} onNew={onNewChild} />
      ) : (
        <Button look="quiet" icon={<Plus aria-hidden size={13} />} className="self-start" onClick={onNewChild}>
          New issue below this one
        </Button>
      )}
    </div>
  )
}

interface EdgesProps {
  title: string
  edges: readonly Edge[]
  project: string | undefined
  isBusy: boolean
  onRemove(id: string): void
  none: string | null
}

function Edges({ title, edges, project, isBusy, onRemove, none }: EdgesProps) {
  if (edges.length === 0 && none === null) return null
  return (
    <section aria-label={title}>
      <h3 className="pb-0.5 text-xs font-semibold text-ink-3">{title}</h3>
      {edges.length === 0 ? <p className="text-xs text-ink-3">{none}</p> : null}
      <ul className="max-h-80 overflow-y-auto">
        {edges.map(({ id, type, issue }) => (
          <li key={`${id} ${type}`} className="flex min-h-7 items-center gap-1.5 text-sm max-md:min-h-9">
            {issue === null ? (
              <span className="text-xs text-ink-3">not here</span>
            ) : (
              <Status status={issue.status} isSmall />
            )}
            <IdChip id={id} />
            {issue === null ? null : (
              <Link to={pathTo(id, project)} className={`min-w-0 flex-1 ${isOver(issue) ? 'text-ink-3' : ''}`}>
                <AgentLine text={issue.title} />
              </Link>
            )}
            {type === 'blocks' ? null : (
              <span className="ml-auto shrink-0 text-2xs text-ink-3">{visibleText(type)}</span>
            )}
            <IconButton
              label={`Remove: ${title.toLowerCase()} ${id}`}
              disabled={isBusy}
              onClick={() => onRemove(id)}
              className="ml-auto !size-6 max-md:!size-9"
            >
              <X aria-hidden size={12} />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

function AddLink({ shown, onAdded }: { shown: ShownIssue; onAdded(): void }) {
  const { detail, dir } = shown
  const { id } = detail.issue
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const relation = RELATIONS[at] ?? RELATIONS[0]
  const add = useMutation({
    mutationFn: (other: string) =>
      relation.isReversed
        ? client.issues.addDependency(other, { ...scopeOf(dir), dependsOnId: id, type: relation.type })
        : client.issues.addDependency(id, { ...scopeOf(dir), dependsOnId: other, type: relation.type }),
    onSuccess: () => {
      setOpen(false)
      onAdded()
    },
  })
  if (!isOpen)
    return (
      <Button look="quiet" icon={<Link2 aria-hidden size={13} />} className="self-start" onClick={() => setOpen(true)}>
        Link to another issue
      </Button>
    )
  return (
    <div className="flex flex-col gap-1.5 rounded border border-line p-2">
      <select
        aria-label="How the two belong together"
        value={at}
        onChange={(event) => setAt(Number(event.target.value))}
        className="h-8 rounded border border-line-strong bg-canvas px-1.5 text-sm max-md:h-10"
      >
        {RELATIONS.map(({ name }, index) => (
          <option key={name} value={index}>
            {`This ${name}`}
          </option>
        ))}
      </select>
      <IssuePicker
        label="The other issue"
        project={dir}
        without={[id]}
        onPick={(issue) => add.mutate(issue.id)}
        onCancel={() => setOpen(false)}
      />
      <ErrorLine error={add.error} />
      <Button look="quiet" className="self-end" onClick={() => setOpen(false)}>
        Cancel
      </Button>
    </div>
  )
}

interface ChildrenProps {
  parts: readonly ListedIssue[]
  project: string | undefined
  onNew(): void
}

/** Parts of an epic, with how many are done. */
function Children({ parts, project, onNew }: ChildrenProps) {
  const done = parts.filter(isOver).length
  const share = parts.length === 0 ? 0 : Math.round((done / parts.length) * 100)
  return (
    <section aria-label="Parts">
      <div className="flex items-center gap-2 pb-0.5">
        <h3 className="text-xs font-semibold text-ink-3">Parts</h3>
        <span className="text-xs text-ink-3">
          {done} of {counted(parts.length, 'part')} done
        </span>
        <IconButton label="New issue below this one" onClick={onNew} className="ml-auto !size-6 max-md:!size-9">
          <Plus aria-hidden size={13} />
        </IconButton>
      </div>
      <div
        role="progressbar"
        aria-label="Parts done"
        aria-valuenow={share}
        aria-valuemin={0}
        aria-valuemax={100}
        className="mb-1 h-1 overflow-hidden rounded-sm bg-line"
      >
        <div className="h-full bg-done" style={{ width: `${share}%` }} />
      </div>
      <ul className="max-h-96 overflow-y-auto">
        {parts.map((issue) => (
          <li key={issue.id} className="flex min-h-7 items-center gap-1.5 text-sm max-md:min-h-9">
            <Status status={issue.status} evidence={issue.isBlocked ? 'blocked by another' : null} isSmall />
            <PriorityMark priority={issue.priority} />
            <IdChip id={issue.id} />
            <Link to={pathTo(issue.id, project)} className={`min-w-0 flex-1 ${isOver(issue) ? 'text-ink-3' : ''}`}>
              <AgentLine text={issue.title} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
