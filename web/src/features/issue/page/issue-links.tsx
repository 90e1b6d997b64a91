import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link2, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { client } from '../../../lib/api'
import { detailKey, scopeOf } from '../issue-query'
import { Edges, groupsOf } from './issue-edges'
import type { ShownIssue } from './issue-edit'
import { IssueParts } from './issue-parts'
import { IssuePicker } from './issue-picker'

/** Kinds of links that can be added. `isReversed`: the other issue owns the link. */
const RELATIONS = [
  { name: 'is blocked by', type: 'blocks', isReversed: false },
  { name: 'blocks', type: 'blocks', isReversed: true },
  { name: 'is a child of', type: 'parent-child', isReversed: false },
  { name: 'is the parent of', type: 'parent-child', isReversed: true },
  { name: 'is related to', type: 'related', isReversed: false },
  { name: 'was discovered in', type: 'discovered-from', isReversed: false },
  { name: 'waits for the children of', type: 'waits-for', isReversed: false },
  { name: 'is needed only on failure of', type: 'conditional-blocks', isReversed: false },
] as const

/** Links and children of an issue, to open, add and remove. */
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
      {groups.length === 0 ? <p className="text-xs text-ink-3">No links. Nothing blocks this issue.</p> : null}
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
        <Button
          act="issues.create"
          look="quiet"
          icon={<Plus aria-hidden size={13} />}
          className="self-start"
          onClick={onNewChild}
        >
          Add a child issue
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
      <Button
        act="issues.addDependency"
        look="quiet"
        icon={<Link2 aria-hidden size={13} />}
        className="self-start"
        onClick={() => setOpen(true)}
      >
        Link to another issue
      </Button>
    )
  return (
    <div className="flex flex-col gap-1.5 rounded border border-line p-2">
      <select
        aria-label="Kind of link"
        value={at}
        onChange={(event) => setAt(Number(event.target.value))}
        className="h-8 rounded border border-line-strong bg-canvas px-1.5 text-sm max-md:h-10"
      >
        {RELATIONS.map(({ name }, index) => (
          <option key={name} value={index}>
            {`This issue ${name}`}
          </option>
        ))}
      </select>
      <IssuePicker
        label="Other issue"
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
