import { type FormEvent, useMemo, useState } from 'react'
import { Button } from '../../components/ui/button'
import { Dialog } from '../../components/ui/dialog'
import { TextField } from '../../components/ui/field'
import { KeyHint } from '../../components/ui/key-hint'
import { client } from '../../lib/api'
import { type KeyBinding, useKeys } from '../../lib/keys/keys'
import { hold } from '../../lib/live/held-moves'
import { visibleText } from '../../lib/visible-text'
import { type ListedIssue, scopeOf, useLabels, useStatuses } from './issue-query'
import { PRIORITY_WORDS } from './marks'
import type { IssueGroup } from './use-issue-dialogs'

/** A field that a key of its own changes. */
export type QuickField = 'priority' | 'status' | 'label' | 'assignee'

interface QuickChangeProps {
  field: QuickField
  issues: IssueGroup
  project: string | undefined
  onClose(): void
}

const TITLES: Record<QuickField, string> = {
  priority: 'Priority of',
  status: 'Status of',
  label: 'Label for',
  assignee: 'Assign',
}

/** Changes one field of each issue: a digit chooses, or words are typed. It can be undone for a moment, for all of them at once. */
export function QuickChange({ field, issues, project, onClose }: QuickChangeProps) {
  const [first, ...others] = issues
  const about = others.length === 0 ? first.title : `${issues.length} issues`
  /** What all of them have. */
  const shared = <Value,>(pick: (issue: ListedIssue) => Value): Value | undefined =>
    issues.every((issue) => pick(issue) === pick(first)) ? pick(first) : undefined
  const labels = first.labels.filter((label) => others.every((issue) => issue.labels.includes(label)))
  /** @param what  a field that has one value, or a label: a later change of the same takes the place of an earlier one */
  const put = (said: string, change: Parameters<typeof client.issues.update>[1], what: string = field) => {
    onClose()
    const batch = crypto.randomUUID()
    for (const { id } of issues)
      hold({
        key: `issue:${id}:${what}`,
        said,
        about,
        batch,
        isReplacing: true,
        send: () => client.issues.update(id, { ...scopeOf(project), ...change }),
      })
  }
  return (
    <Dialog title={`${TITLES[field]} ${others.length === 0 ? first.id : about}`} onClose={onClose}>
      <p className="mb-2 truncate text-sm font-medium">
        {visibleText(first.title)}
        {others.length === 0 ? null : ` and ${others.length} more`}
      </p>
      {field === 'priority' ? (
        <Choices
          choices={PRIORITY_WORDS.map((word, priority) => ({ key: String(priority), word }))}
          now={String(shared(({ priority }) => priority))}
          onChoose={(key, word) => put(`Priority ${word}`, { priority: Number(key) })}
        />
      ) : field === 'status' ? (
        <StatusChoices
          project={project}
          now={shared(({ status }) => status)}
          onChoose={(status) => put(`Status ${status}`, { status })}
        />
      ) : field === 'label' ? (
        <LabelField
          project={project}
          has={labels}
          onChoose={(label) =>
            labels.includes(label)
              ? put(`Label ${label} removed`, { removeLabels: [label] }, `label ${label}`)
              : put(`Label ${label}`, { addLabels: [label] }, `label ${label}`)
          }
        />
      ) : (
        <WordField
          label="Name; empty for nobody"
          first={shared(({ assignee }) => assignee) ?? ''}
          isEmptyFine
          onChoose={(name) =>
            put(name === '' ? 'Unassigned' : `Assigned to ${name}`, { assignee: name === '' ? null : name })
          }
        />
      )}
    </Dialog>
  )
}

interface ChoicesProps {
  choices: readonly { key: string; word: string }[]
  /** The key of what it is now. */
  now: string | undefined
  onChoose(key: string, word: string): void
}

/** A few choices, each with a digit. */
function Choices({ choices, now, onChoose }: ChoicesProps) {
  useKeys(
    useMemo(
      () =>
        choices.map(
          ({ key, word }): KeyBinding => ({
            keys: key,
            label: word,
            group: 'Choose',
            inFields: true,
            act: 'issues.update',
            changes: true,
            run: () => onChoose(key, word),
          }),
        ),
      [choices, onChoose],
    ),
  )
  return (
    <ul className="flex flex-col gap-1">
      {choices.map(({ key, word }, at) => (
        <li key={key}>
          <Button
            act="issues.update"
            look={key === now ? 'plain' : 'quiet'}
            aria-pressed={key === now}
            autoFocus={at === 0}
            className="w-full justify-start"
            onClick={() => onChoose(key, word)}
          >
            <KeyHint keys={key} isAlways /> {visibleText(word)}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Statuses that a digit can choose. */
const DIGITS = 9

function StatusChoices({
  project,
  now,
  onChoose,
}: {
  project: string | undefined
  now: string | undefined
  onChoose(status: string): void
}) {
  const { data } = useStatuses(project)
  const names = (data?.statuses ?? []).map(({ name }) => name).slice(0, DIGITS)
  return (
    <Choices
      choices={names.map((word, at) => ({ key: String(at + 1), word }))}
      now={now !== undefined && names.includes(now) ? String(names.indexOf(now) + 1) : undefined}
      onChoose={(_, word) => onChoose(word)}
    />
  )
}

function LabelField({
  project,
  has,
  onChoose,
}: {
  project: string | undefined
  has: readonly string[]
  onChoose(label: string): void
}) {
  const { data } = useLabels(project)
  return (
    <WordField
      label="Label to add; one that it has is removed"
      first=""
      offered={[...new Set([...has, ...(data?.labels ?? []).map(({ label }) => label)])]}
      onChoose={onChoose}
    />
  )
}

interface WordFieldProps {
  label: string
  first: string
  offered?: readonly string[]
  isEmptyFine?: boolean
  onChoose(word: string): void
}

function WordField({ label, first, offered = [], isEmptyFine = false, onChoose }: WordFieldProps) {
  const [word, setWord] = useState(first)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isEmptyFine || word.trim() !== '') onChoose(word.trim())
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <TextField
        label={label}
        value={word}
        autoFocus
        list="quick-words"
        onChange={(event) => setWord(event.target.value)}
      />
      <datalist id="quick-words">
        {offered.slice(0, 200).map((one) => (
          <option key={one} value={visibleText(one)} />
        ))}
      </datalist>
      <Button act="issues.update" look="main" type="submit">
        Apply
      </Button>
    </form>
  )
}
