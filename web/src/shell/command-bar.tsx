import { CornerDownLeft } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { Dialog } from '../components/ui/dialog'
import { KeyHint } from '../components/ui/key-hint'
import { type Command, stepped } from '../features/commands/commands'
import { useCommands } from '../features/commands/use-commands'

interface CommandBarProps {
  onClose(): void
  onKeys(): void
  onNote(text: string): void
}

/** Goes to pages, runs actions, opens things by ID or title, and searches. */
export function CommandBar({ onClose, onKeys, onNote }: CommandBarProps) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const listId = useId()
  const groups = useCommands(text, { onClose, onKeys, onNote })
  const all = groups.flatMap(({ commands }) => commands)
  // The person's choice stays current while responses arrive; otherwise the first command is current.
  const current = all.find(({ id }) => id === chosen) ?? all[0]
  // Issue IDs may contain blanks, element IDs may not.
  const optionId = (command: Command) => `${listId}-${all.indexOf(command)}`
  const currentId = current === undefined ? undefined : optionId(current)

  useEffect(() => {
    if (currentId !== undefined) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' })
  }, [currentId])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(stepped(groups, current?.id ?? null, step))
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      current?.run()
    }
  }

  return (
    <Dialog title="Command bar" onClose={onClose} isBare>
      <input
        role="combobox"
        aria-label="Command bar"
        aria-expanded={all.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={currentId}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="Paste an ID, type a command or a page, or search"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(null)
        }}
        onKeyDown={onKeyDown}
        className="sticky top-0 z-10 h-11 w-full border-b border-line bg-panel px-4 text-base outline-none placeholder:text-ink-3"
      />
      <div role="listbox" id={listId} aria-label="Commands" className="max-h-[60vh] scroll-py-8 overflow-y-auto p-1">
        {groups.map(({ name, commands }, at) => (
          <div key={name} role="group" aria-labelledby={`${listId}-group-${at}`} className="pb-1">
            <div
              id={`${listId}-group-${at}`}
              role="presentation"
              className="px-3 pt-1.5 pb-0.5 text-2xs font-semibold text-ink-3"
            >
              {name}
            </div>
            {commands.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                isCurrent={command === current}
                onPoint={() => setChosen(command.id)}
              />
            ))}
          </div>
        ))}
      </div>
      <output className="sr-only" aria-live="polite">
        {all.length === 1 ? '1 command' : `${all.length} commands`}
      </output>
    </Dialog>
  )
}

interface OptionProps {
  id: string
  command: Command
  isCurrent: boolean
  onPoint(): void
}

function Option({ id, command, isCurrent, onPoint }: OptionProps) {
  const { label, detail, keys, run } = command
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field above
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      data-testid="command"
      onClick={run}
      onPointerMove={isCurrent ? undefined : onPoint}
      className={`flex min-h-7.5 cursor-pointer items-center gap-3 rounded px-3 text-sm max-md:min-h-10 ${isCurrent ? 'bg-hover' : ''}`}
    >
      <span dir="auto" className="truncate">
        {label}
      </span>
      <span className="ml-auto flex shrink-0 items-center gap-2 text-xs text-ink-3">
        {detail}
        {keys === undefined ? null : <KeyHint keys={keys} />}
        <CornerDownLeft aria-hidden size={13} className={isCurrent ? '' : 'invisible'} />
      </span>
    </div>
  )
}
