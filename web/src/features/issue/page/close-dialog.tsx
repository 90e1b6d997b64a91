import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isAppError } from '#domain/errors'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { TextArea } from '../../../components/ui/field'
import { client } from '../../../lib/api'
import { submitOnModEnter } from '../../../lib/keys/submit-key'
import { isOver, type ListedIssue, scopeOf } from '../issue-query'

interface CloseDialogProps {
  issue: ListedIssue
  project: string | undefined
  onClose(): void
}

/** Closes an issue with a reason, or reopens it. */
export function CloseDialog({ issue, project, onClose }: CloseDialogProps) {
  const [reason, setReason] = useState('')
  const isClosed = isOver(issue)
  const change = useMutation({
    mutationFn: (force: boolean) => {
      const said = reason.trim() === '' ? {} : { reason: reason.trim() }
      return isClosed
        ? client.issues.reopen(issue.id, { ...scopeOf(project), ...said })
        : client.issues.close(issue.id, { ...scopeOf(project), ...said, ...(force && { force }) })
    },
    onSuccess: onClose,
  })
  const isRefused = isAppError(change.error) && change.error.code === 'conflict' && !isClosed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(false)
  }
  return (
    <Dialog
      title={isClosed ? `Reopen ${issue.id}` : `Close ${issue.id}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {isRefused ? (
            <Button look="danger" isBusy={change.isPending} onClick={() => change.mutate(true)}>
              Close anyway
            </Button>
          ) : null}
          <Button look="main" type="submit" form="close-issue" isBusy={change.isPending}>
            {isClosed ? 'Reopen issue' : 'Close issue'}
          </Button>
        </>
      }
    >
      <form id="close-issue" onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-sm font-medium">
          <AgentLine text={issue.title} />
        </p>
        <TextArea
          label={isClosed ? 'Reason for reopening (optional)' : 'Reason for closing (optional)'}
          rows={3}
          value={reason}
          autoFocus
          onKeyDown={submitOnModEnter}
          onChange={(event) => setReason(event.target.value)}
        />
        <ErrorLine error={change.error} />
      </form>
    </Dialog>
  )
}
