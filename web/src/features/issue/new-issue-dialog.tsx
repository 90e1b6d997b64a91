import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ISSUE_LIMITS, ISSUE_TYPES } from '#domain/issue/issue'
import { ISSUE_PRIORITIES, priorityName } from '#domain/issue/issue-priority'
import { Button } from '../../components/ui/button'
import { Dialog } from '../../components/ui/dialog'
import { ErrorLine } from '../../components/ui/error-card'
import { Select, TextArea, TextField } from '../../components/ui/field'
import { KeyHint } from '../../components/ui/key-hint'
import { client } from '../../lib/api'
import { submitOnModEnter } from '../../lib/keys/submit-key'
import { issuePathIn, useGo } from '../../lib/links'
import { dropDraft, type IssueDraft, useIssueDraft } from './issue-draft'
import { scopeOf, useTrackers } from './issue-query'
import { nameOfFolder } from './list/project-select'

interface NewIssueProps {
  project: string | undefined
  /** Parent of the new issue. */
  parentId: string | undefined
  onClose(): void
}

/** Creates an issue. The draft survives closing the dialog and reloading the page. */
export function NewIssueDialog({ project, parentId, onClose }: NewIssueProps) {
  const { draft, change } = useIssueDraft({
    ...(project !== undefined && { project }),
    ...(parentId !== undefined && { parentId }),
  })
  const [isTried, setTried] = useState(false)
  const create = useCreateIssue(draft, onClose)
  const isUntitled = draft.title.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!isUntitled && !create.isPending) create.mutate()
  }
  return (
    <Dialog
      title="New issue"
      onClose={onClose}
      isWide
      foot={
        <>
          {isUntitled && draft.description === '' ? null : (
            <Button
              look="quiet"
              className="mr-auto"
              onClick={() => {
                dropDraft()
                onClose()
              }}
            >
              Discard
            </Button>
          )}
          <Button onClick={onClose}>Close, keep the draft</Button>
          <Button look="main" type="submit" form="new-issue" isBusy={create.isPending}>
            Create <KeyHint keys="Mod+Enter" />
          </Button>
        </>
      }
    >
      <form id="new-issue" onSubmit={submit} onKeyDown={submitOnModEnter} className="flex flex-col gap-3">
        <TextField
          label="Title"
          value={draft.title}
          maxLength={ISSUE_LIMITS.title}
          autoFocus
          problem={isTried && isUntitled ? 'Enter a title.' : null}
          onChange={(event) => change({ title: event.target.value })}
        />
        <TextArea
          label="Description (Markdown)"
          rows={8}
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        <Choices draft={draft} change={change} />
        <LabelsAndParent draft={draft} change={change} />
        <ErrorLine error={create.error} />
      </form>
    </Dialog>
  )
}

/** Sends the draft, then shows the new issue. */
function useCreateIssue(draft: IssueDraft, onClose: () => void) {
  const go = useGo()
  const dir = draft.project === '' ? undefined : draft.project
  return useMutation({
    mutationFn: () =>
      client.issues.create(
        {
          ...scopeOf(dir),
          title: draft.title.trim(),
          ...(draft.description.trim() !== '' && { description: draft.description }),
          issueType: draft.issueType,
          priority: draft.priority,
          ...(draft.labels.trim() !== '' && { labels: wordsIn(draft.labels) }),
          ...(draft.parentId.trim() !== '' && { parentId: draft.parentId.trim() }),
        },
        { idempotencyKey: draft.key },
      ),
    onSuccess: ({ issue }) => {
      dropDraft()
      onClose()
      go(issuePathIn(issue.id, dir))
    },
  })
}

interface DraftFieldsProps {
  draft: IssueDraft
  change(part: Partial<IssueDraft>): void
}

/** Project, type and priority. */
function Choices({ draft, change }: DraftFieldsProps) {
  const dirs = (useTrackers().data?.trackers ?? []).map(({ dir }) => dir)
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <Select label="Project" value={draft.project} onChange={(event) => change({ project: event.target.value })}>
        <option value="">None (stored on this server only)</option>
        {[...new Set([...dirs, ...(draft.project === '' ? [] : [draft.project])])].map((one) => (
          <option key={one} value={one}>
            {nameOfFolder(one, dirs)}
          </option>
        ))}
      </Select>
      <Select label="Type" value={draft.issueType} onChange={(event) => change({ issueType: event.target.value })}>
        {[...new Set([...ISSUE_TYPES, draft.issueType])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      <Select
        label="Priority"
        value={draft.priority}
        onChange={(event) => change({ priority: Number(event.target.value) })}
      >
        {ISSUE_PRIORITIES.map((one) => (
          <option key={one} value={one}>
            {priorityName(one)}
          </option>
        ))}
      </Select>
    </div>
  )
}

/** Labels and parent, behind a button until they are needed. */
function LabelsAndParent({ draft, change }: DraftFieldsProps) {
  const [isOpen, setOpen] = useState(draft.labels !== '' || draft.parentId !== '')
  if (!isOpen)
    return (
      <Button look="quiet" className="self-start" onClick={() => setOpen(true)}>
        Add labels or a parent
      </Button>
    )
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label="Labels"
        hint="Separate them by commas."
        value={draft.labels}
        onChange={(event) => change({ labels: event.target.value })}
      />
      <TextField
        label="Parent"
        hint="ID of the parent issue."
        value={draft.parentId}
        onChange={(event) => change({ parentId: event.target.value })}
      />
    </div>
  )
}

/** Distinct words of a comma-separated text. */
const wordsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
]
