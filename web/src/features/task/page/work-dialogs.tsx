import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import type { Task } from '#domain/task/task'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { Tick } from '../../../components/ui/tick'
import { client } from '../../../lib/api'
import { counted } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'

export type Work = Answers['tasks']['work']

interface WorkDialogProps {
  task: Task
  work: Work
  /** Says what was done. */
  onDone(words: string): void
  onClose(): void
}

/** Merges the branch, all or nothing. */
export function MergeDialog({ task, work: { branch, into, ahead, uncommitted }, onDone, onClose }: WorkDialogProps) {
  const queries = useQueryClient()
  const [commits, setCommits] = useState(true)
  const merge = useMutation({
    mutationFn: async () => {
      const { commit } = await client.tasks.merge(task.id, { commit: commits && uncommitted.length > 0 })
      await queries.invalidateQueries({ queryKey: ['task', task.id, 'work'] })
      return commit
    },
    onSuccess: (commit) => {
      onDone(`Merged. ${into} is at ${commit.slice(0, 7)}.`)
      onClose()
    },
  })
  return (
    <Dialog
      title={`Merge into ${visibleText(into)}?`}
      onClose={onClose}
      foot={
        <>
          <Button autoFocus onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" isBusy={merge.isPending} onClick={() => merge.mutate()}>
            Merge
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>
          This merges {counted(ahead, 'commit')} of {visibleText(branch)} into {visibleText(into)} on the server’s
          machine. If both sides changed the same lines, nothing is changed. The worktree stays.
        </p>
        {uncommitted.length === 0 ? null : (
          <Tick
            label={`First commit ${counted(uncommitted.length, 'file')} that no commit has`}
            is={commits}
            onIs={setCommits}
          />
        )}
        <ErrorLine error={merge.error} />
      </div>
    </Dialog>
  )
}

/** Says what would be lost before the worktree and its branch are removed. The button that does it has not the focus. */
export function DropDialog({ task, work: { branch, into, ahead, uncommitted }, onDone, onClose }: WorkDialogProps) {
  const drop = useMutation({
    mutationFn: () => client.tasks.drop(task.id),
    onSuccess: () => {
      onClose()
      onDone('The worktree and its branch were removed.')
    },
  })
  const lost = [
    ...(ahead > 0 ? [`${counted(ahead, 'commit')} that ${into} does not have`] : []),
    ...(uncommitted.length > 0 ? [`${counted(uncommitted.length, 'file')} in no commit`] : []),
  ]
  return (
    <Dialog
      title={`Drop ${visibleText(branch)}?`}
      onClose={onClose}
      foot={
        <>
          <Button autoFocus onClick={onClose}>
            Keep it
          </Button>
          <Button look="danger" isBusy={drop.isPending} onClick={() => drop.mutate()}>
            Drop
          </Button>
        </>
      }
    >
      <p className="text-sm">
        This removes the worktree and its branch.{' '}
        {lost.length === 0 ? 'Nothing is lost.' : `It loses ${visibleText(lost.join(' and '))}. This cannot be undone.`}
      </p>
      <ErrorLine error={drop.error} />
    </Dialog>
  )
}
