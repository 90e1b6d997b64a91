import { useState } from 'react'
import { isLiveTask, type Task } from '#domain/task/task'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { TextField } from '../../../components/ui/field'

interface CancelDialogProps {
  task: Task
  /** Number of unfinished children. */
  openChildren: number
  onCancel(reason: string): void
  onClose(): void
}

/** Asks for confirmation, because unsaved work of a run is lost. */
export function CancelDialog({ task, openChildren, onCancel, onClose }: CancelDialogProps) {
  const [reason, setReason] = useState('')
  return (
    <Dialog
      title={`Cancel ${task.id}?`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Keep task</Button>
          <Button type="submit" form="cancel-task" look="danger">
            Cancel task
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
          {isLiveTask(task.status) ? 'This ends its run now. ' : ''}
          {openChildren > 0
            ? `${openChildren === 1 ? '1 unfinished child continues' : `${openChildren} unfinished children continue`}. `
            : ''}
          Tasks that depend on it fail too, unless they are set to wait. You can retry it later.
        </p>
        <TextField
          label="Reason (optional)"
          value={reason}
          autoFocus
          onChange={(event) => setReason(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
