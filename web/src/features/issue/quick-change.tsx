import { Check } from 'lucide-react'
import { type KeyboardEvent, useMemo } from 'react'
import { Button } from '../../components/ui/button'
import { Dialog } from '../../components/ui/dialog'
import { KeyHint } from '../../components/ui/key-hint'
import { statusWord } from '../../components/ui/status'
import { type KeyBinding, useKeys } from '../../lib/keys/keys'
import { useMe } from '../../lib/me'
import { visibleText } from '../../lib/visible-text'
import { type ListedIssue, useAssignees, useLabels, useStatuses } from './issue-query'
import { PRIORITY_WORDS } from './marks'
import { PickField } from './pick-field'
import { aboutOf, putIssues } from './put-issues'
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
  /** What all of them have. */
  const shared = <Value,>(pick: (issue: ListedIssue) => Value): Value | undefined =>
    issues.every((issue) => pick(issue) === pick(first)) ? pick(first) : undefined
  const labels = first.labels.filter((label) => others.every((issue) => issue.labels.includes(label)))
  const put = (said: string, change: Parameters<typeof putIssues>[2]['change'], what: string = field) => {
    onClose()
    putIssues(issues, project, { said, what, change })
  }
  return (
    <Dialog title={`${TITLES[field]} ${others.length === 0 ? first.id : aboutOf(issues)}`} onClose={onClose}>
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
          onChoose={(status) => put(`Status ${statusWord(status)}`, { status })}
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
        <AssigneeField
          project={project}
          now={shared(({ assignee }) => assignee)}
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
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const at = buttons.findIndex((button) => button.matches(':focus'))
    buttons[(at + step + buttons.length) % buttons.length]?.focus()
  }
  // What it is now: Enter alone changes nothing.
  const begin = Math.max(
    0,
    choices.findIndex(({ key }) => key === now),
  )
  return (
    <ul className="flex flex-col gap-1" onKeyDown={onKeyDown}>
      {choices.map(({ key, word }, at) => (
        <li key={key}>
          <Button
            act="issues.update"
            look={key === now ? 'plain' : 'quiet'}
            aria-pressed={key === now}
            autoFocus={at === begin}
            className="w-full justify-start"
            onClick={() => onChoose(key, word)}
          >
            <KeyHint keys={key} isAlways /> {visibleText(word)}
            {key === now ? <Check aria-hidden size={14} className="ml-auto text-accent" /> : null}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Statuses that a digit can choose. */
export const DIGITS = 9

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
      // Choices stand in the list before it takes the focus.
      key={names.join(' ')}
      choices={names.map((name, at) => ({ key: String(at + 1), word: statusWord(name) }))}
      now={now !== undefined && names.includes(now) ? String(names.indexOf(now) + 1) : undefined}
      onChoose={(key) => {
        const name = names[Number(key) - 1]
        if (name !== undefined) onChoose(name)
      }}
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
  const known = (data?.labels ?? []).map(({ label }) => label).filter((label) => !has.includes(label))
  return (
    <PickField
      label="Add or remove a label"
      offers={[...has, ...known].map((label) => ({ word: label, text: label, isOn: has.includes(label) }))}
      newText={(label) => `Add “${label}”`}
      onPick={onChoose}
    />
  )
}

interface AssigneeFieldProps {
  project: string | undefined
  /** `null` = nobody; `undefined` = not the same of all. */
  now: string | null | undefined
  onChoose(name: string): void
}

/** The reader, people that have issues now, and anybody else by name. */
function AssigneeField({ project, now, onChoose }: AssigneeFieldProps) {
  const me = useMe()?.name ?? undefined
  const { data = [] } = useAssignees(project)
  const names = [...new Set([...(me === undefined ? [] : [me]), ...(now ? [now] : []), ...data])]
  return (
    <PickField
      label="Assign to"
      offers={[
        { word: '', text: 'Nobody', isOn: now === null },
        ...names.map((name) => ({ word: name, text: name === me ? `${name} (you)` : name, isOn: name === now })),
      ]}
      newText={(name) => `Assign to “${name}”`}
      onPick={onChoose}
    />
  )
}
