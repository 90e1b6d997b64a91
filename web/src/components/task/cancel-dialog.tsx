import { useState } from 'react'
import { isLiveTask, type Task } from '../../../../src/domain/task'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { TextField } from '../ui/field'

interface CancelDialogProps {
  task: Task
  /** Children that are not over. */
  openChildren: number
  onCancel(reason: string): void
  onClose(): void
}

/** Asks once: what a run did not write down is lost. */
export function CancelDialog({ task, openChildren, onCancel, onClose }: CancelDialogProps) {
  const [reason, setReason] = useState('')
  return (
    <Dialog
      title={`Cancel ${task.id}?`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" form="cancel-task" look="danger">
            Cancel the task
          </Button>
        </>
      }
    >
      <form
        id="cancel-task"
        onSubmit={(event) => {
          event.preventDefault()
          onCancel(reason)
        }}
        className="flex flex-col gap-3 text-sm"
      >
        <p>
          {isLiveTask(task.status) ? 'Its run is ended now. ' : ''}
          {openChildren > 0 ? `${openChildren} of its children are not over, and go on. ` : ''}
          Tasks that depend on it fail with it, unless they were told to wait. It can be tried again later.
        </p>
        <TextField
          label="Why (not needed)"
          value={reason}
          autoFocus
          onChange={(event) => setReason(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
