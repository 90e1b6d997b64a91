import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isAppError } from '#domain/errors'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { TextArea } from '../../../components/ui/field'
import { client } from '../../../lib/api'
import { counted } from '../../../lib/format'
import { submitOnModEnter } from '../../../lib/keys/submit-key'
import { isOver, type ListedIssue, scopeOf } from '../issue-query'
import type { IssueGroup } from '../use-issue-dialogs'

interface CloseDialogProps {
  issues: IssueGroup
  project: string | undefined
  onClose(): void
}

/** Closes issues with a reason, or reopens them if all are closed. If the server refuses one, it changes the others all the same. */
export function CloseDialog({ issues, project, onClose }: CloseDialogProps) {
  const [reason, setReason] = useState('')
  const isClosed = issues.every(isOver)
  const [left, setLeft] = useState<readonly ListedIssue[]>(isClosed ? issues : issues.filter((issue) => !isOver(issue)))
  const change = useMutation({
    mutationFn: async (force: boolean) => {
      const said = { ...scopeOf(project), ...(reason.trim() !== '' && { reason: reason.trim() }) }
      const outcomes = await Promise.allSettled(
        left.map(({ id }) =>
          isClosed ? client.issues.reopen(id, said) : client.issues.close(id, { ...said, ...(force && { force }) }),
        ),
      )
      setLeft(left.filter((_, at) => outcomes[at]?.status === 'rejected'))
      const refused = outcomes.find((outcome) => outcome.status === 'rejected')
      if (refused !== undefined) throw refused.reason
    },
    onSuccess: onClose,
  })
  const about = left.length === 1 ? (left[0]?.id ?? '') : counted(left.length, 'issue')
  const isRefused = isAppError(change.error) && change.error.code === 'conflict' && !isClosed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(false)
  }
  return (
    <Dialog
      title={`${isClosed ? 'Reopen' : 'Close'} ${about}`}
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
            {isClosed ? 'Reopen' : 'Close'} {left.length === 1 ? 'issue' : 'issues'}
          </Button>
        </>
      }
    >
      <form id="close-issue" onSubmit={submit} className="flex flex-col gap-3">
        <ul className="scrolls max-h-40 text-sm font-medium">
          {left.map(({ id, title }) => (
            <li key={id} className="truncate">
              <AgentLine text={title} />
            </li>
          ))}
        </ul>
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
