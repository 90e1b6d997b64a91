import { X } from 'lucide-react'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { ISSUE_LIMITS, ISSUE_TYPES } from '#domain/issue/issue'
import { ISSUE_PRIORITIES, priorityName } from '#domain/issue/issue-priority'
import { ErrorLine } from '../../../components/ui/error-card'
import { statusWord } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { visibleText } from '../../../lib/visible-text'
import { useLabels, useStatuses } from '../issue-query'
import { type ShownIssue, useIssueChange } from './issue-edit'

/** Classes of an input. */
const BOX =
  'h-7 w-full min-w-0 rounded border border-transparent bg-transparent px-1.5 text-sm hover:border-line focus:border-line-strong max-md:h-9 max-md:border-line'
/** Classes of a select, which has its own inner padding. */
const SELECT_BOX = `${BOX} pl-0.5`

/** The fields of an issue, edited in place. */
export function IssueFields({ shown, onClose }: { shown: ShownIssue; onClose(): void }) {
  const { issue } = shown.detail
  const change = useIssueChange(shown)
  const statuses = useStatuses(shown.dir).data?.statuses.map(({ name }) => name) ?? []
  const own = (all: readonly string[], value: string) => [...new Set([...all, value])]
  return (
    <div className="flex flex-col gap-1">
      <Field name="Status">
        {(id) => (
          <select
            id={id}
            value={issue.status}
            onChange={({ target }) => (target.value === 'closed' ? onClose() : change.mutate({ status: target.value }))}
            className={SELECT_BOX}
          >
            {own(statuses, issue.status).map((name) => (
              <option key={name} value={name}>
                {statusWord(visibleText(name))}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field name="Priority">
        {(id) => (
          <select
            id={id}
            value={issue.priority}
            onChange={({ target }) => change.mutate({ priority: Number(target.value) })}
            className={SELECT_BOX}
          >
            {ISSUE_PRIORITIES.map((one) => (
              <option key={one} value={one}>
                {priorityName(one)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field name="Type">
        {(id) => (
          <select
            id={id}
            value={issue.issueType}
            onChange={({ target }) => change.mutate({ issueType: target.value })}
            className={SELECT_BOX}
          >
            {own(ISSUE_TYPES, issue.issueType).map((one) => (
              <option key={one} value={one}>
                {visibleText(one)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field name="Assignee">
        {(id) => (
          <Line
            id={id}
            value={issue.assignee ?? ''}
            placeholder="Unassigned"
            onValue={(assignee) => change.mutate({ assignee: assignee === '' ? null : assignee })}
          />
        )}
      </Field>
      <Labels
        labels={issue.labels}
        project={shown.dir}
        isBusy={change.isPending}
        onAdd={(label) => change.mutate({ addLabels: [label] })}
        onRemove={(label) => change.mutate({ removeLabels: [label] })}
      />
      {issue.dueAt === null ? null : (
        <Field name="Due">{() => <When at={issue.dueAt} className="px-1.5 text-sm" />}</Field>
      )}
      {issue.deferUntil === null ? null : (
        <Field name="Deferred until">{() => <When at={issue.deferUntil} className="px-1.5 text-sm" />}</Field>
      )}
      {issue.estimatedMinutes === null ? null : (
        <Field name="Estimate">{() => <span className="px-1.5 text-sm">{issue.estimatedMinutes} min</span>}</Field>
      )}
      {issue.externalRef === null ? null : (
        <Field name="External">
          {() => <span className="px-1.5 text-sm">{visibleText(issue.externalRef ?? '')}</span>}
        </Field>
      )}
      <p role="status" className="h-4 text-xs text-ink-3">
        {change.isPending ? 'Saving …' : ''}
      </p>
      <ErrorLine error={change.error} />
    </div>
  )
}

function Field({ name, children }: { name: string; children(id: string): React.ReactNode }) {
  const id = useId()
  return (
    <div className="grid min-h-7 grid-cols-[5.5rem_minmax(0,1fr)] items-center">
      <label htmlFor={id} className="text-xs text-ink-3">
        {name}
      </label>
      {children(id)}
    </div>
  )
}

interface LineProps {
  id: string
  value: string
  placeholder: string
  onValue(value: string): void
}

/** A one-line field. Enter or leaving it saves; Escape restores the old text. */
function Line({ id, value, placeholder, onValue }: LineProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const send = () => {
    if (text.trim() !== value) onValue(text.trim())
  }
  return (
    <input
      id={id}
      value={text}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
      onBlur={send}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
        if (event.key === 'Escape') setText(value)
      }}
      className={`${BOX} placeholder:text-ink-3`}
    />
  )
}

/** Labels that are offered while typing. */
const MAX_OFFERED_LABELS = 200

interface LabelsProps {
  labels: readonly string[]
  project: string | undefined
  isBusy: boolean
  onAdd(label: string): void
  onRemove(label: string): void
}

function Labels({ labels, project, isBusy, onAdd, onRemove }: LabelsProps) {
  const [text, setText] = useState('')
  const id = useId()
  const known = useLabels(project).data?.labels ?? []
  const add = (event: FormEvent) => {
    event.preventDefault()
    const label = text.trim()
    if (label === '') return
    if (!labels.includes(label)) onAdd(label)
    setText('')
  }
  return (
    <div className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-start">
      <label htmlFor={id} className="pt-1 text-xs text-ink-3">
        Labels
      </label>
      <div className="flex min-w-0 flex-wrap items-center gap-1 pl-1">
        {labels.map((label) => (
          <span
            key={label}
            className="flex min-w-0 items-center gap-0.5 rounded-sm border border-line bg-canvas pl-1.5 text-xs"
          >
            <span className="truncate">{visibleText(label)}</span>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => onRemove(label)}
              aria-label={`Remove the label ${visibleText(label)}`}
              className="flex size-5 items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink max-md:size-9"
            >
              <X aria-hidden size={11} />
            </button>
          </span>
        ))}
        <form onSubmit={add} className="min-w-20 flex-1">
          <input
            id={id}
            list={`${id}-known`}
            value={text}
            placeholder="Add label"
            maxLength={ISSUE_LIMITS.label}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
            className={`${BOX} placeholder:text-ink-3`}
          />
          <datalist id={`${id}-known`}>
            {known.slice(0, MAX_OFFERED_LABELS).map(({ label }) => (
              <option key={label} value={label} />
            ))}
          </datalist>
        </form>
      </div>
    </div>
  )
}
