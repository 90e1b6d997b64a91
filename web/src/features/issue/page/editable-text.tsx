import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { ISSUE_LIMITS } from '#domain/issue/issue'
import { AgentText } from '../../../components/ui/agent-text'
import { Button, IconButton } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { TextArea, TextField } from '../../../components/ui/field'
import { KeyHint } from '../../../components/ui/key-hint'
import { AgentMarkdown } from '../../../components/ui/markdown'
import { client } from '../../../lib/api'
import { detailKey, scopeOf } from '../issue-query'
import { ChangedMeanwhile } from './changed-meanwhile'
import { type ShownIssue, useIssueChange } from './issue-edit'
import type { IssueText } from './issue-page-search'
import { keepTextDraft, readTextDraft, saveText, TextChanged, type TextDraft } from './issue-text'

interface EditableTextProps {
  shown: ShownIssue
  field: IssueText
  label: string
  isEditing: boolean
  onEdit(isEditing: boolean): void
}

/** A text of an issue, shown as Markdown and edited in place. */
export function EditableText({ shown, field, label, isEditing, onEdit }: EditableTextProps) {
  const value = shown.detail.issue[field]
  const pencil = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(isEditing)
  useEffect(() => {
    // After editing, the focus returns to the edit button.
    if (wasEditing.current && !isEditing) pencil.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  if (isEditing) return <Editor shown={shown} field={field} label={label} onDone={() => onEdit(false)} />
  if (field === 'title')
    return (
      <span className="group flex items-start gap-1">
        <AgentText text={value} className="min-w-0" />
        <IconButton
          act="issues.update"
          label="Edit title"
          ref={pencil}
          onClick={() => onEdit(true)}
          className="!size-6 max-md:!size-9"
        >
          <Pencil aria-hidden size={12} />
        </IconButton>
      </span>
    )
  return (
    <section aria-labelledby={`text-${field}`} className="flex flex-col gap-1">
      <div className="flex items-center gap-1">
        <h2 id={`text-${field}`} className="text-xs font-semibold text-ink-3">
          {label}
        </h2>
        <IconButton
          act="issues.update"
          label={`Edit ${label.toLowerCase()}`}
          ref={pencil}
          onClick={() => onEdit(true)}
          className="!size-6 max-md:!size-9"
        >
          <Pencil aria-hidden size={12} />
        </IconButton>
      </div>
      {value === '' ? (
        <button
          type="button"
          onClick={() => onEdit(true)}
          className="self-start text-sm text-ink-3 hover:text-ink max-md:min-h-9"
        >
          Add {label.toLowerCase()}
        </button>
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the pencil and `e` do the same
        <div
          onDoubleClick={(event) => {
            if (event.target instanceof Element && event.target.closest('a,button') === null) onEdit(true)
          }}
          className="max-w-prose text-sm"
        >
          <AgentMarkdown text={value} />
        </div>
      )}
    </section>
  )
}

interface EditorProps extends Omit<EditableTextProps, 'isEditing' | 'onEdit'> {
  onDone(): void
}

/** The draft of a text: stored until it is saved or given up. */
function useTextEdit({ shown, field, onDone }: Omit<EditorProps, 'label'>) {
  const { detail, dir, project } = shown
  const { issue } = detail
  const queries = useQueryClient()
  const change = useIssueChange(shown)
  const [draft, setDraftState] = useState<TextDraft>(
    () => readTextDraft(issue.id, field) ?? { text: issue[field], base: issue[field], updatedAt: issue.updatedAt },
  )
  const setDraft = (next: TextDraft) => {
    setDraftState(next)
    keepTextDraft(issue.id, field, next)
  }
  const done = () => {
    keepTextDraft(issue.id, field, null)
    onDone()
  }
  const save = useMutation({
    mutationFn: () =>
      saveText({
        draft,
        read: async () => {
          const { issue: now } = await client.issues.get(issue.id, scopeOf(dir))
          return { value: now[field], updatedAt: now.updatedAt }
        },
        write: async (text, ifUpdatedAt) => void (await change.mutateAsync({ [field]: text, ifUpdatedAt })),
      }),
    onSuccess: done,
    onError: (error) => {
      if (error instanceof TextChanged) void queries.invalidateQueries({ queryKey: detailKey(issue.id, project) })
    },
  })
  /** What somebody else wrote in the meantime; `null` if nobody did. */
  const theirs = issue[field] === draft.base || issue[field] === draft.text ? null : issue[field]
  return { draft, setDraft, theirs, save, done }
}

function Editor({ shown, field, label, onDone }: EditorProps) {
  const { draft, setDraft, theirs, save, done } = useTextEdit({ shown, field, onDone })
  const { issue } = shown.detail
  const submit = () => {
    if (save.isPending || theirs !== null) return
    if (draft.text === draft.base) done()
    else save.mutate()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      done()
    }
    const isSend = event.key === 'Enter' && (field === 'title' || event.metaKey || event.ctrlKey)
    if (!isSend) return
    event.preventDefault()
    submit()
  }
  const common = {
    label,
    value: draft.text,
    autoFocus: true,
    onKeyDown,
    isLabelHidden: field === 'title',
  }
  return (
    <div className="flex flex-col gap-2 font-normal">
      {field === 'title' ? (
        <TextField
          {...common}
          maxLength={ISSUE_LIMITS.title}
          onChange={(event) => setDraft({ ...draft, text: event.target.value })}
        />
      ) : (
        <TextArea
          {...common}
          rows={Math.max(6, Math.min(24, draft.text.split('\n').length + 2))}
          onChange={(event) => setDraft({ ...draft, text: event.target.value })}
          className="font-mono !text-xs leading-relaxed"
        />
      )}
      {theirs === null ? (
        <ErrorLine error={save.error instanceof TextChanged ? null : save.error} />
      ) : (
        <ChangedMeanwhile
          shown={shown}
          field={field}
          theirs={theirs}
          onTake={() => setDraft({ text: theirs, base: theirs, updatedAt: issue.updatedAt })}
          onKeep={() => setDraft({ ...draft, base: theirs, updatedAt: issue.updatedAt })}
        />
      )}
      <div className="flex flex-wrap items-center gap-1.5">
        <Button look="main" isBusy={save.isPending} disabled={theirs !== null} onClick={submit}>
          Save <KeyHint keys={field === 'title' ? 'Enter' : 'Mod+Enter'} />
        </Button>
        <Button onClick={done}>
          Cancel <KeyHint keys="Esc" />
        </Button>
        {field === 'title' ? null : <span className="text-xs text-ink-3">Markdown</span>}
      </div>
    </div>
  )
}
