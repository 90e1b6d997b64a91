import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isAppError } from '../../../../src/domain/errors'
import { client } from '../../lib/api'
import { isOver, type ListedIssue, scopeOf } from '../../lib/issue-query'
import { AgentLine } from '../ui/agent-text'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { ErrorLine } from '../ui/error-card'
import { TextArea } from '../ui/field'
import { submitOnModEnter } from './submit-key'

interface CloseDialogProps {
  issue: ListedIssue
  project: string | undefined
  onClose(): void
}

/** Closes an issue with a reason, or opens it again. */
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
      title={isClosed ? `Open ${issue.id} again` : `Close ${issue.id}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {isRefused ? (
            <Button look="danger" isBusy={change.isPending} onClick={() => change.mutate(true)}>
              Close in spite of it
            </Button>
          ) : null}
          <Button look="main" type="submit" form="close-issue" isBusy={change.isPending}>
            {isClosed ? 'Open again' : 'Close issue'}
          </Button>
        </>
      }
    >
      <form id="close-issue" onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-sm font-medium">
          <AgentLine text={issue.title} />
        </p>
        <TextArea
          label={isClosed ? 'Why it is open again (if you like)' : 'What became of it (if you like)'}
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
