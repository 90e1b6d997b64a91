import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Status } from '../../../components/ui/status'
import { TYPING_PAUSE_MS } from '../../../lib/typed'
import { visibleText } from '../../../lib/visible-text'
import { type ListedIssue, useIssueSearch } from '../issue-query'

interface IssuePickerProps {
  label: string
  project: string | undefined
  /** IDs of issues that are not offered. */
  without: readonly string[]
  onPick(issue: ListedIssue): void
  onCancel(): void
}

/** Chooses an issue by its ID or words of its title. */
export function IssuePicker({ label, project, without, onPick, onCancel }: IssuePickerProps) {
  const [text, setText] = useState('')
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => setWords(text.trim()), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const { data, isPlaceholderData } = useIssueSearch(project, words)
  const found = words === '' ? [] : (data?.issues ?? []).filter(({ id }) => !without.includes(id))
  const current = found[Math.min(at, found.length - 1)]
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) {
      event.preventDefault()
      setAt((now) => (Math.min(now, found.length - 1) + step + found.length) % found.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      if (current !== undefined && words === text.trim()) onPick(current)
    }
    if (event.key === 'Escape') {
      event.preventDefault()
      onCancel()
    }
  }
  return (
    <div className="relative min-w-0">
      <input
        ref={field}
        role="combobox"
        aria-label={label}
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-activedescendant={current === undefined ? undefined : `${listId}-${current.id}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="ID or words of the title"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        className="h-8 w-full rounded border border-line-strong bg-canvas px-2 text-sm placeholder:text-ink-3 max-md:h-10"
      />
      <div
        role="listbox"
        id={listId}
        aria-label="Issues found"
        className={
          found.length === 0
            ? ''
            : 'absolute inset-x-0 top-full z-20 mt-1 max-h-60 overflow-y-auto rounded border border-line bg-panel p-1 shadow-pop'
        }
      >
        {found.map((issue) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field above
          <div
            key={issue.id}
            id={`${listId}-${issue.id}`}
            role="option"
            aria-selected={issue === current}
            onClick={() => onPick(issue)}
            className={`flex min-h-7 cursor-pointer items-center gap-2 rounded-sm px-2 text-sm max-md:min-h-9 ${issue === current ? 'bg-hover' : 'hover:bg-hover'}`}
          >
            <Status status={issue.status} isSmall />
            <span className="shrink-0 font-mono text-2xs text-ink-3">{issue.id}</span>
            <span className="truncate">{visibleText(issue.title)}</span>
          </div>
        ))}
      </div>
      {words !== '' && !isPlaceholderData && data !== undefined && found.length === 0 ? (
        <p role="status" className="pt-1 text-xs text-ink-3">
          No issues found.
        </p>
      ) : null}
    </div>
  )
}
