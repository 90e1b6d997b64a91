import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link2, Plus } from 'lucide-react'
import { useState } from 'react'
import { client } from '../../lib/api'
import type { ShownIssue } from '../../lib/issue-edit'
import { detailKey, scopeOf } from '../../lib/issue-query'
import { Button } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { Edges, groupsOf } from './issue-edges'
import { IssueParts } from './issue-parts'
import { IssuePicker } from './issue-picker'

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
  const groups = groupsOf(dependencies, dependents, childIds)
  return (
    <div className="flex flex-col gap-3">
      {groups.length === 0 ? (
        <p className="text-xs text-ink-3">It needs nothing: it can begin whenever somebody takes it.</p>
      ) : null}
      {groups.map(({ title, edges }) => (
        <Edges
          key={title}
          title={title}
          edges={edges}
          project={project}
          isBusy={remove.isPending}
          onRemove={({ id, isTheirs }) =>
            remove.mutate(isTheirs ? { from: id, to: issue.id } : { from: issue.id, to: id })
          }
        />
      ))}
      <ErrorLine error={remove.error} />
      <AddLink shown={shown} onAdded={refresh} />
      {children.length > 0 || issue.issueType === 'epic' ? (
        <IssueParts parts={children} project={project} onNew={onNewChild} />
      ) : (
        <Button look="quiet" icon={<Plus aria-hidden size={13} />} className="self-start" onClick={onNewChild}>
          New issue below this one
        </Button>
      )}
    </div>
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
