import { useMutation } from '@tanstack/react-query'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { client } from '../../../lib/api'

/** Says what a stop does before it happens. The button that does it has not the focus, so a held key closes the dialog at most. */
export function StopDialog({ task, onStopped, onClose }: { task: string; onStopped(): void; onClose(): void }) {
  const stop = useMutation({ mutationFn: () => client.tasks.pause(task, {}), onSuccess: onStopped })
  return (
    <Dialog
      title="Stop this run?"
      onClose={onClose}
      foot={
        <>
          <Button autoFocus onClick={onClose}>
            Let it run
          </Button>
          <Button look="danger" isBusy={stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </Button>
        </>
      }
    >
      <p className="text-sm">
        The agent CLI saves the conversation and ends with everything that it started. Task {task} is paused. Resume
        continues it in the same conversation; a tool call that was under way may have taken effect or not.
      </p>
      <ErrorLine error={stop.error} />
    </Dialog>
  )
}
