import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ISSUE_TYPES } from '../../../../src/domain/issue'
import { priorityName } from '../../../../src/domain/issue-priority'
import { client } from '../../lib/api'
import { dropDraft, useIssueDraft } from '../../lib/issue-draft'
import { scopeOf, useTrackers } from '../../lib/issue-query'
import { useGo } from '../../lib/links'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { ErrorLine } from '../ui/error-card'
import { Select, TextArea, TextField } from '../ui/field'
import { KeyHint } from '../ui/key-hint'
import { pathTo } from './issue-grid'
import { nameOfFolder } from './project-select'
import { submitOnModEnter } from './submit-key'

interface NewIssueProps {
  project: string | undefined
  /** The new one goes below this. */
  parentId: string | undefined
  onClose(): void
}

/** A new issue. What is written stays until it is sent or thrown away, though the dialog closes or the page is loaded anew. */
export function NewIssueDialog({ project, parentId, onClose }: NewIssueProps) {
  const trackers = useTrackers().data?.trackers ?? []
  const dirs = trackers.map(({ dir }) => dir)
  const { draft, change } = useIssueDraft({
    ...(project !== undefined && { project }),
    ...(parentId !== undefined && { parentId }),
  })
  const [isWide, setWide] = useState(draft.labels !== '' || draft.parentId !== '')
  const [isTried, setTried] = useState(false)
  const go = useGo()
  const dir = draft.project === '' ? undefined : draft.project
  const create = useMutation({
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
      go(pathTo(issue.id, dir))
    },
  })
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
              Throw away
            </Button>
          )}
          <Button onClick={onClose}>Later</Button>
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
          maxLength={500}
          autoFocus
          problem={isTried && isUntitled ? 'It needs a title.' : null}
          onChange={(event) => change({ title: event.target.value })}
        />
        <TextArea
          label="Description (Markdown)"
          rows={8}
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        <div className="grid gap-3 sm:grid-cols-3">
          <Select label="Project" value={draft.project} onChange={(event) => change({ project: event.target.value })}>
            <option value="">none: kept by this server alone</option>
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
            {[0, 1, 2, 3, 4].map((one) => (
              <option key={one} value={one}>
                {priorityName(one)}
              </option>
            ))}
          </Select>
        </div>
        {isWide ? (
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField
              label="Labels"
              hint="With commas between them."
              value={draft.labels}
              onChange={(event) => change({ labels: event.target.value })}
            />
            <TextField
              label="Below"
              hint="Id of the issue that it is a part of."
              value={draft.parentId}
              onChange={(event) => change({ parentId: event.target.value })}
            />
          </div>
        ) : (
          <Button look="quiet" className="self-start" onClick={() => setWide(true)}>
            Labels and parent
          </Button>
        )}
        <ErrorLine error={create.error} />
      </form>
    </Dialog>
  )
}

const wordsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
]
